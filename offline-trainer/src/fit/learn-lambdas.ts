import { scoreAt } from "../matrix/response-matrix.ts";
import type { LambdaRule } from "./configuration.ts";
import type { CrossValidation } from "./cross-validate.ts";
import { blendingWeight, referenceLambda } from "./lambda.ts";
import type { BankTask } from "./train-bank.ts";

/** λ of every scenario and size: `lambdas[s].get(n)`. */
export function learnLambdas(
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
      largest.reduce((sum, { estimators, truth }) => sum + Math.abs(estimators["p-irt"] - truth), 0) /
      Math.max(1, largest.length);
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
