import type { Bundle } from "../core/bundle/bundle.ts";
import type { FormManifest } from "../core/bundle/manifest.ts";
import { estimateScenario } from "../core/estimate/scenario-estimate.ts";
import { partlyCorrectedMean } from "../core/estimators/blend-estimates.ts";
import type { SeenModels } from "../core/estimators/types.ts";
import type { AnswerEvidence } from "./answer-evidence.ts";

/**
 * Where a model stands among the source models by the weighted mean over all scenarios: of its partly corrected means,
 * from the answers to all of them. A model that is stronger than any seen there is unlike them also in a scenario where
 * one of them is as good.
 * @param scores - by scenario, aligned with the form's anchors
 * @returns null where the form has no such range
 */
export function overallPlace(
  bundle: Bundle,
  form: FormManifest,
  scores: ReadonlyMap<string, Float64Array>,
  { abilities, factors: common }: AnswerEvidence,
): SeenModels["overall"] {
  const seen = form.overall?.seen ?? null;
  if (seen === null) return null;
  const bankOf = new Map(bundle.manifest.banks.flatMap(({ id, scenarios }) => scenarios.map((own) => [own, id])));
  let sum = 0;
  let total = 0;
  for (const { id, weight } of bundle.manifest.scenarios) {
    const { bank, weights, scoreMap, forms } = bundle.scenarios.get(id)!;
    const model = { bank, weights, scoreMap, ...forms.get(form.id)! };
    const estimate = estimateScenario(model, scores.get(id)!, abilities.get(bankOf.get(id)!)!, common);
    sum += weight * partlyCorrectedMean(estimate!.base); // answered, or there was no evidence together
    total += weight;
  }
  return { ...seen, score: sum / total };
}
