import { BASE_ESTIMATORS, type Blend } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { MIXED_STACK } from "../../support/stack-of.ts";

export interface DrawnEstimates {
  readonly models: readonly number[];
  readonly draws?: number;
  /** Random folds; one fold of this number where `fold` is given. */
  readonly folds?: number;
  readonly fold?: number;
  /** Standard deviation of the estimators' errors, and how alike they are. */
  readonly anchorError?: number;
  readonly modelError?: number;
  readonly correlation?: number;
  readonly truth?: (model: number) => number;
}

/** Held-out estimates with errors that are drawn, a model once for each draw. */
export function drawnEstimates(random: RandomSource, options: DrawnEstimates): HeldOutEstimate[] {
  const { models, draws = 1, folds = 5, anchorError = 0.05, modelError = 0.05, correlation = 0.3 } = options;
  return models.flatMap((model, k) => {
    const truth = options.truth?.(model) ?? 0.2 + 0.6 * random.next();
    return Array.from({ length: draws }, (_, draw): HeldOutEstimate => {
      const shared = random.normal();
      const own = Math.sqrt(1 - correlation * correlation) * random.normal() + correlation * shared;
      const anchor = truth + anchorError * shared;
      const imputed = truth + modelError * own;
      const corrected = truth + 0.04 * random.normal();
      const gaussian = truth + 0.03 * random.normal();
      return {
        model,
        draw,
        fold: options.fold ?? k % folds,
        truth,
        part: null,
        base: {
          "anchor-mean": anchor,
          "p-irt": imputed,
          "p-irt-dr": corrected,
          gaussian,
          "ridge-gap": truth + 0.05 * random.normal(),
          aipw: truth + 0.06 * random.normal(),
        },
        seen: { worst: 0.1, best: 0.9, overall: null },
        bounds: { low: truth - 0.5, high: truth + 0.5 },
        shift: { step: 0, information: 0, spread: 0 },
        unlike: 0,
        sampling: { variance: 0.04 ** 2, degrees: 30, answers: 40, right: 20, unit: 0.025, bias: 0 },
        answers: null,
        pattern: null,
        failed: false,
      };
    });
  });
}

/** The same estimate by every base estimator. */
export function baseAt(score: number): HeldOutEstimate["base"] {
  return Object.fromEntries(BASE_ESTIMATORS.map((id) => [id, score])) as HeldOutEstimate["base"];
}

/** A blend of which only λ matters: gp-irt's. */
export function blendAt(lambda: number): Blend {
  return {
    lambda,
    stack: MIXED_STACK,
    rmse: 0.05,
    overallRmse: null,
    tightening: { inside: 0.8, outside: 0.9 },
  };
}

/** Rows 0 … count−1, from another one on where `begin` is given. */
export function rowsOf(count: number, begin = 0): number[] {
  return Array.from({ length: count }, (_, m) => begin + m);
}
