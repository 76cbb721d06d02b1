import { partlyCorrectedMean, type Blend } from "anchoreval/core";
import type { HeldOutEstimate } from "./held-out.ts";
import { intervalTightening } from "./interval-tightening.ts";
import { stackWeights } from "./stack-weights.ts";

/**
 * What the stack, the gate and its intervals need, from models like the others.
 * @param n - anchors, for an error where nothing was held out: that of a fair coin's mean
 * @param families - family of every model, by row
 */
export function insideBlend(
  interpolation: readonly HeldOutEstimate[],
  { n, lambda, families }: { n: number; lambda: number; families: ArrayLike<number> },
): Blend {
  const blend = {
    lambda,
    stack: stackWeights(interpolation),
    rmse:
      rootMeanSquare(interpolation.map(({ base, truth }) => partlyCorrectedMean(base) - truth)) ?? 0.5 / Math.sqrt(n),
    overallRmse: rootMeanSquare(
      interpolation.flatMap(({ seen: { overall } }) => (overall === null ? [] : [overall.score - overall.truth])),
    ),
  };
  return { ...blend, tightening: intervalTightening(interpolation, families, blend) };
}

/** Of those that are known; null where none is. */
function rootMeanSquare(errors: readonly number[]): number | null {
  const known = errors.filter((error) => !Number.isNaN(error));
  return known.length > 0 ? Math.sqrt(known.reduce((sum, error) => sum + error ** 2, 0) / known.length) : null;
}
