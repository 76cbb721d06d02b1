import type { Blend } from "anchoreval/core";
import type { LambdaRule } from "./configuration.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { insideBlend } from "./inside-blend.ts";
import { blendingWeight } from "./lambda.ts";
import { withoutFold } from "./without-fold.ts";

export interface FoldOutInput {
  readonly n: number;
  /** λ that the bundle serves with; the reference's rule has no other. */
  readonly lambda: number;
  readonly lambdaRule: LambdaRule;
  /** Family of every model, by row. */
  readonly families: ArrayLike<number>;
  readonly interpolation: readonly HeldOutEstimate[];
  readonly extrapolation: readonly HeldOutEstimate[];
}

/**
 * What blends the estimators of a held-out model: learned without the fold that it is in, and without the models of that
 * fold in others (random folds and the weak-to-strong one hold the same models out). Learned when first asked for, once
 * a fold.
 */
export function foldOutBlend({
  n,
  lambda: served,
  lambdaRule,
  families,
  interpolation,
  extrapolation,
}: FoldOutInput): (estimate: HeldOutEstimate) => Blend {
  return withoutFold([...interpolation, ...extrapolation], (held) => {
    const others = (estimates: readonly HeldOutEstimate[]): HeldOutEstimate[] =>
      estimates.filter(({ model }) => !held.has(model));
    const lambda =
      lambdaRule === "reference" ? served : blendingWeight([...others(interpolation), ...others(extrapolation)]);
    return insideBlend(others(interpolation), { n, lambda, families });
  });
}
