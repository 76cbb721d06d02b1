import type { Blend } from "anchoreval/core";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { LambdaRule } from "./configuration.ts";
import type { CrossValidation } from "./cross-validate.ts";
import { foldOutBlend } from "./fold-out-blend.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { anchorsIn, type FormPlan } from "./form-plans.ts";
import { insideBlend } from "./inside-blend.ts";
import { blendingWeight, referenceLambda } from "./lambda.ts";
import type { BankTask } from "./train-bank.ts";

/** What blends the estimators of one scenario and form. */
export interface LearnedBlend {
  /** Learned on all held-out source models: what a bundle serves with. */
  readonly served: Blend;
  /** Learned without an estimate's own fold and the models in it ({@link foldOutBlend}). */
  readonly foldOut: (estimate: HeldOutEstimate) => Blend;
}

/** What blends the estimators of every scenario and form, learned on held-out source models: `blends[s].get(id)`. */
export function learnBlends(
  task: BankTask,
  rows: readonly number[],
  forms: readonly FormPlan[],
  validation: CrossValidation,
  rule: LambdaRule,
): ReadonlyMap<string, LearnedBlend>[] {
  const lambdas = learnLambdas(task, rows, forms, validation, rule);
  return task.scenarios.map(
    ({ id: scenario }, s) =>
      new Map(
        forms.map((form): [string, LearnedBlend] => {
          const { id } = form;
          const n = anchorsIn(form, scenario);
          const lambda = lambdas[s]!.get(id)!;
          const interpolation = validation.interpolation[s]!.get(id)!;
          const extrapolation = validation.extrapolation[s]!.get(id)!;
          return [
            id,
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

/** λ of every scenario and form. */
function learnLambdas(
  task: BankTask,
  rows: readonly number[],
  forms: readonly FormPlan[],
  { interpolation, extrapolation }: CrossValidation,
  rule: LambdaRule,
): ReadonlyMap<string, number>[] {
  return task.scenarios.map((slice, s) => {
    if (rule === "learned")
      return new Map(
        forms.map(({ id }) => [id, blendingWeight([...interpolation[s]!.get(id)!, ...extrapolation[s]!.get(id)!])]),
      );
    // The reference validates mean predictions with half of all items answered; the largest form stands for that here.
    const most = forms.reduce((one, other) => (anchorsIn(other, slice.id) > anchorsIn(one, slice.id) ? other : one));
    const largest = interpolation[s]!.get(most.id)!;
    const bias =
      largest.reduce((sum, { base, truth }) => sum + Math.abs(base["p-irt"] - truth), 0) / Math.max(1, largest.length);
    const variance = meanVariance(task, rows, slice.begin, slice.count);
    return new Map(forms.map((form) => [form.id, referenceLambda(bias, variance, anchorsIn(form, slice.id))]));
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
