import type { ScenarioState } from "./types.ts";

/**
 * `p-irt`: (Σ_A w·y + Σ_U w·p̂) / Σ w, answers where there are any, predictions elsewhere.
 * @returns a score in [0,1]
 * @see Maia Polo et al. (2024), tinyBenchmarks, eq. 4.1 (with the data part's weights normalised)
 */
export function modelImputedMean({ weights, expected, predicted, sample }: ScenarioState): number {
  let sum = expected;
  for (let j = 0; j < sample.items.length; j++) sum += weights[sample.items[j]!]! * (sample.scores[j]! - predicted[j]!);
  return sum;
}
