import type { ScenarioState } from "./types.ts";

/**
 * `p-irt`: (Σ_A w·y + Σ_U w·p̂) / Σ w, answers where there are any, predictions elsewhere.
 * @returns a score in [0,1]
 * @see Maia Polo et al. (2024), tinyBenchmarks, eq. 4.1 (with the data part's weights normalised)
 */
export function modelImputedMean({ weights, predicted, sample }: ScenarioState): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += weights[i]! * predicted[i]!;
  for (let j = 0; j < sample.items.length; j++) {
    const i = sample.items[j]!;
    sum += weights[i]! * (sample.scores[j]! - predicted[i]!);
  }
  return sum;
}
