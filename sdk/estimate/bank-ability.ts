import { mapAbility } from "../core/ability/map.ts";
import { scaledPrior } from "../core/ability/prior.ts";
import type { AbilityEstimate } from "../core/ability/types.ts";
import type { Bundle } from "../core/bundle/bundle.ts";
import type { BankManifest } from "../core/bundle/manifest.ts";
import { gatherItems } from "../core/estimate/gather-items.ts";

/**
 * One ability for all loaded scenarios of a bank, from every answer to their anchors: the posterior mode.
 * @param scores - per scenario, aligned with the form's anchors; NaN = no answer
 * @returns null where there is no answer
 */
export function bankAbility(
  bundle: Bundle,
  { scenarios, prior }: BankManifest,
  form: string,
  scores: ReadonlyMap<string, Float64Array>,
): AbilityEstimate | null {
  const parts = scenarios.flatMap((id) => {
    const scenario = bundle.scenarios.get(id);
    if (scenario === undefined) return [];
    return [{ bank: scenario.bank, items: scenario.forms.get(form)!.anchors.items, scores: scores.get(id)! }];
  });
  const gathered = parts.length > 0 ? gatherItems(parts) : null;
  if (gathered === null) return null;
  const { mean, covariance, scale } = prior;
  return mapAbility(
    gathered.bank,
    gathered,
    scaledPrior(Float64Array.from(mean), Float64Array.from(covariance), scale),
  );
}
