import { partlyCorrectedMean, type Blend } from "anchoreval/core";
import { modelFamilies } from "../splits/families.ts";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { LambdaRule } from "./configuration.ts";
import type { CrossValidation } from "./cross-validate.ts";
import { blendingWeight, referenceLambda } from "./lambda.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { intervalTightening } from "./interval-tightening.ts";
import { stackWeights } from "./stack-weights.ts";
import type { BankTask } from "./train-bank.ts";

/** What blends the estimators of every scenario and size, learned on held-out source models: `blends[s].get(n)`. */
export function learnBlends(
  task: BankTask,
  rows: readonly number[],
  sizes: readonly number[],
  validation: CrossValidation,
  rule: LambdaRule,
): ReadonlyMap<number, Blend>[] {
  const lambdas = learnLambdas(task, rows, sizes, validation, rule);
  const families = modelFamilies(task.matrix.subjects);
  return task.scenarios.map(
    (_, s) =>
      new Map(
        sizes.map((n) => {
          const lambda = lambdas[s]!.get(n)!;
          return [n, insideBlend(validation.interpolation[s]!.get(n)!, { n, lambda, families })];
        }),
      ),
  );
}

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

/** λ of every scenario and size. */
function learnLambdas(
  task: BankTask,
  rows: readonly number[],
  sizes: readonly number[],
  { interpolation, extrapolation }: CrossValidation,
  rule: LambdaRule,
): ReadonlyMap<number, number>[] {
  return task.scenarios.map((slice, s) => {
    if (rule === "learned")
      return new Map(
        sizes.map((n) => [n, blendingWeight([...interpolation[s]!.get(n)!, ...extrapolation[s]!.get(n)!])]),
      );
    // The reference validates mean predictions with half of all items answered; the largest form stands for that here.
    const largest = interpolation[s]!.get(Math.max(...sizes))!;
    const bias =
      largest.reduce((sum, { base, truth }) => sum + Math.abs(base["p-irt"] - truth), 0) / Math.max(1, largest.length);
    const variance = meanVariance(task, rows, slice.begin, slice.count);
    return new Map(sizes.map((n) => [n, referenceLambda(bias, variance, n)]));
  });
}

/** Mean over models of the variance of their scores on a scenario's items; models without any answer have none. */
function meanVariance(task: BankTask, rows: readonly number[], begin: number, count: number): number {
  let total = 0;
  let models = 0;
  for (const row of rows) {
    let sum = 0;
    let squares = 0;
    let seen = 0;
    for (let i = 0; i < count; i++) {
      const score = scoreAt(task.matrix, row, begin + i);
      if (Number.isNaN(score)) continue;
      sum += score;
      squares += score * score;
      seen++;
    }
    if (seen === 0) continue;
    total += squares / seen - (sum / seen) ** 2;
    models++;
  }
  return total / Math.max(1, models);
}
