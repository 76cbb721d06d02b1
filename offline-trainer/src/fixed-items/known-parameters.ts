import { AnchorEvalError } from "anchoreval/core";
import type { BundleScenario } from "anchoreval/bundle";
import type { ScenarioGroup } from "../matrix/benchmark.ts";
import type { BaseBundle } from "./read-base.ts";

/** Share of a scenario's items that must stand. */
const LEAST_STANDING = 0.5;

/** Parameters of a bank's standing items. */
export interface KnownParameters {
  /** 1 where an item stands. */
  readonly is: Uint8Array;
  readonly a: Float64Array;
  readonly b: Float64Array;
}

/**
 * Looks the standing items of a bank up in its base.
 * @param standing - id in the base of every item that stands, by its id now
 * @throws AnchorEvalError `invalid_data` where fewer than half of a scenario's items stand
 */
export function knownParameters(
  { matrix, scenarios }: Omit<ScenarioGroup, "families">,
  { bundle, items }: BaseBundle,
  standing: ReadonlyMap<string, string>,
  dims: number,
): KnownParameters {
  const count = matrix.items.length;
  const known = { is: new Uint8Array(count), a: new Float64Array(count * dims), b: new Float64Array(count) };
  const own = new Map<string, { scenario: BundleScenario; index: number }>();
  let line = 0;
  for (const { id, items: size } of bundle.manifest.scenarios)
    for (let index = 0; index < size; index++)
      own.set(items[line++]!.item_id, { scenario: bundle.scenarios.get(id)!, index });
  for (const { id, begin, count: size } of scenarios) {
    let stand = 0;
    for (let i = begin; i < begin + size; i++) {
      const old = standing.get(matrix.items[i]!.item_id);
      if (old === undefined) continue;
      const { scenario, index } = own.get(old)!;
      stand++;
      known.is[i] = 1;
      known.b[i] = scenario.bank.b[index]!;
      for (let d = 0; d < dims; d++) known.a[i * dims + d] = scenario.bank.a[index * dims + d]!;
    }
    if (stand < LEAST_STANDING * size)
      throw new AnchorEvalError(
        "invalid_data",
        `${id}: ${stand} of its ${size} items are the base's; fewer than half carry no scale: fit anew, without --base`,
      );
  }
  return known;
}
