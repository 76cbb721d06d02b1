import { type Bounds, clamp } from "./answered-sample.ts";
import type { AnsweredSample, BaseScores, ScenarioState } from "./types.ts";

/**
 * `anchor-mean`: Σ_A d·y / Σ_A d with d = w/π, the Hájek mean of a probability sample, or the cluster-mass mean of
 * k-means anchors (tinyBenchmarks calls that one "IRT").
 * @returns a score in [0,1]
 * @see Hájek (1971); Maia Polo et al. (2024), tinyBenchmarks
 */
export function anchorMean({ mass, scores }: AnsweredSample): number {
  let sum = 0;
  for (let j = 0; j < scores.length; j++) sum += mass[j]! * scores[j]!;
  return sum;
}

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

/**
 * `p-irt-dr`: Σ w·p̂ / Σ w + Σ_A d·(y−p̂) / Σ_A d, the mean prediction corrected by the anchors' mean residual
 * (difference estimator; "doubly robust": right if the sample is random, whatever the model is).
 * Not clipped: a correction may carry it past [0,1].
 * @see Cassel, Särndal & Wretman (1976), Biometrika 63, 615–620
 */
export function correctedMean({ expected, predicted, sample }: Omit<ScenarioState, "weights">): number {
  let sum = expected;
  for (let j = 0; j < sample.items.length; j++) sum += sample.mass[j]! * (sample.scores[j]! - predicted[j]!);
  return sum;
}

/**
 * `gp-irt`: λ·anchor-mean + (1−λ)·p-irt, inside the bounds.
 * @param lambda - λ in [0,1], learned on held-out source models
 * @param bounds - what the answers alone prove
 * @see Maia Polo et al. (2024), tinyBenchmarks, eq. 4.2
 */
export function blendedMean(lambda: number, base: Pick<BaseScores, "anchor-mean" | "p-irt">, bounds: Bounds): number {
  return clamp(lambda * base["anchor-mean"] + (1 - lambda) * base["p-irt"], bounds);
}
