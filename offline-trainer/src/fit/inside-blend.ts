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
  const squares = interpolation.reduce((sum, { base, truth }) => sum + (partlyCorrectedMean(base) - truth) ** 2, 0);
  const blend = {
    lambda,
    stack: stackWeights(interpolation),
    rmse: interpolation.length > 0 ? Math.sqrt(squares / interpolation.length) : 0.5 / Math.sqrt(n),
  };
  return { ...blend, tightening: intervalTightening(interpolation, families, blend) };
}
