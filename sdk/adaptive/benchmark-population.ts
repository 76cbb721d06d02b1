import { higherOrderPrior, scaledPrior } from "../core/ability/prior.ts";
import type { Population } from "../core/adaptive/population.ts";
import type { Bundle } from "../core/bundle/bundle.ts";
import type { BankManifest } from "../core/bundle/manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";

/** A population whose items and banks have names. */
export interface PoolPopulation extends Population {
  /** By position, what an item pool knows the item by. */
  readonly lines: ArrayLike<number>;
  /** Aligned with the banks. */
  readonly bankIds: readonly string[];
}

/**
 * All items of some scenarios, weighted as the benchmark's score weights them.
 * @param wanted - ids, in any order
 * @throws AnchorEvalError `unknown_scenario` for one that the bundle lacks, or that wasn't loaded
 */
export function benchmarkPopulation(bundle: Bundle, wanted: readonly string[]): PoolPopulation {
  const { manifest } = bundle;
  const unknown = wanted.filter((id) => !bundle.scenarios.has(id));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "unknown_scenario",
      `this bundle has no scenario ${unknown.join(", ")}, or it wasn't loaded: there are ${[...bundle.scenarios.keys()].join(", ")}`,
    );
  const total = manifest.scenarios.reduce((sum, { id, weight }) => sum + (wanted.includes(id) ? weight : 0), 0);
  const count = manifest.scenarios.reduce((sum, { id, items }) => sum + (wanted.includes(id) ? items : 0), 0);
  const weights = new Float64Array(count);
  const lines = new Uint32Array(count);
  const scenarios: Population["scenarios"][number][] = [];
  let begin = 0;
  let line = 0;
  for (const { id, items, weight } of manifest.scenarios) {
    if (wanted.includes(id)) {
      const { bank, scoreMap, weights: own } = bundle.scenarios.get(id)!;
      for (let i = 0; i < items; i++) {
        weights[begin + i] = (weight / total) * own[i]!;
        lines[begin + i] = line + i;
      }
      scenarios.push({ id, begin, bank, scoreMap });
      begin += items;
    }
    line += items;
  }
  const asked = manifest.banks.filter((bank) => bank.scenarios.some((id) => wanted.includes(id)));
  const linked = asked.length > 1 && asked.every(({ prior }) => prior.loadings !== undefined);
  const banks = asked.map((bank) => ({
    scenarios: scenarios.flatMap(({ id }, s) => (bank.scenarios.includes(id) ? [s] : [])),
    prior: bankPrior(bank, linked),
  }));
  return { scenarios, banks, count, weights, exposure: null, lines, bankIds: asked.map(({ id }) => id) };
}

function bankPrior({ prior }: BankManifest, linked: boolean): Population["banks"][number]["prior"] {
  const mean = Float64Array.from(prior.mean);
  const covariance = Float64Array.from(prior.covariance);
  if (!linked) return scaledPrior(mean, covariance, prior.scale);
  const loadings = Float64Array.from(prior.loadings!);
  return higherOrderPrior(mean, covariance, prior.scale, loadings, loadings.length / mean.length);
}
