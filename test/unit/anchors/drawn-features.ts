import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { CurveFeatures } from "../../../offline-trainer/src/anchors/curve-features.ts";

/** Features of a few items and their weights, drawn, for criteria that are checked against dense algebra. */
export function drawnFeatures(
  random: RandomSource,
  count: number,
  width: number,
): { features: CurveFeatures; weights: Float64Array } {
  const features = {
    count,
    width,
    loadings: Float64Array.from({ length: count * width }, () => random.normal()),
    noise: Float64Array.from({ length: count }, () => 0.1 + random.next()),
  };
  const raw = Float64Array.from({ length: count }, () => 0.2 + random.next());
  const total = raw.reduce((sum, value) => sum + value, 0);
  return { features, weights: raw.map((value) => value / total) };
}
