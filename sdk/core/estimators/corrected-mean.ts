import type { ScenarioState } from "./types.ts";

/**
 * `p-irt-dr`: Σ w·p̂ / Σ w + Σ_A d·(y−p̂) / Σ_A d, the mean prediction corrected by the anchors' mean residual
 * (difference estimator; "doubly robust": right if the sample is random, whatever the model is).
 * Not clipped: a correction may carry it past [0,1].
 * @see Cassel, Särndal & Wretman (1976), Biometrika 63, 615–620
 */
export function correctedMean({
  expected,
  predicted,
  sample,
}: Pick<ScenarioState, "expected" | "predicted" | "sample">): number {
  let sum = expected;
  for (let j = 0; j < sample.items.length; j++) sum += sample.mass[j]! * (sample.scores[j]! - predicted[j]!);
  return sum;
}
