import type { Blend } from "anchoreval/core";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { LambdaRule } from "./configuration.ts";
import type { CrossValidation } from "./cross-validate.ts";
import { foldOutBlend } from "./fold-out-blend.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { insideBlend } from "./inside-blend.ts";
import { blendingWeight, referenceLambda } from "./lambda.ts";
import type { BankTask } from "./train-bank.ts";

/** What blends the estimators of one scenario and size. */
export interface LearnedBlend {
  /** Learned on all held-out source models: what a bundle serves with. */
  readonly served: Blend;
  /** Learned without an estimate's own fold and the models in it ({@link foldOutBlend}). */
  readonly foldOut: (estimate: HeldOutEstimate) => Blend;
}

/** What blends the estimators of every scenario and size, learned on held-out source models: `blends[s].get(n)`. */
export function learnBlends(
  task: BankTask,
  rows: readonly number[],
  sizes: readonly number[],
  validation: CrossValidation,
  rule: LambdaRule,
): ReadonlyMap<number, LearnedBlend>[] {
  const lambdas = learnLambdas(task, rows, sizes, validation, rule);
  return task.scenarios.map(
    (_, s) =>
      new Map(
        sizes.map((n): [number, LearnedBlend] => {
          const lambda = lambdas[s]!.get(n)!;
          const interpolation = validation.interpolation[s]!.get(n)!;
          const extrapolation = validation.extrapolation[s]!.get(n)!;
          return [
            n,
            {
              served: insideBlend(interpolation, { n, lambda, families: task.families }),
              foldOut: foldOutBlend({
                n,
                lambda,
                lambdaRule: rule,
                families: task.families,
                interpolation,
                extrapolation,
              }),
            },
          ];
        }),
      ),
  );
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
