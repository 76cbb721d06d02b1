import { partlyCorrectedMean } from "anchoreval/internal/core/estimators/blend-estimates";
import type { Blend } from "anchoreval/internal/core/estimators/types";
import { POOLINGS } from "anchoreval/internal/core/scoring/scoring-model";
import { type Benchmark, type Scenario } from "../matrix/benchmark.ts";
import { LEAST_MODELS, scoreAt } from "../matrix/response-matrix.ts";
import { headlineEstimator, type Method } from "../methods/method.ts";
import type { CrossValidation, Validation } from "./folds.ts";
import { anchorsIn, type FormPlan } from "./form-plans.ts";
import { heldOutScore, thatAnswered, withoutFold } from "./held-out-scores.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import {
  blendingWeight,
  intervalTightening,
  recalibrationWeight,
  referenceLambda,
  stackWeights,
  tighteningRule,
  type TighteningRule,
} from "./blend-figures.ts";

/** The blend of one scenario's estimators on one form, with the held-out models that it was learned on. */
export interface LearnedBlend {
  readonly validation: CrossValidation;
  /** Learned on all held-out source models: what a bundle serves with. */
  readonly served: Blend;
  /** Learned without an estimate's own fold and the models in it. */
  readonly foldOut: (estimate: HeldOutEstimate) => Blend;
}

/** Of one scenario and form: from its own answers, always; from those to all scenarios where that errs less on held-out models. */
export interface FormBlend {
  readonly separate: LearnedBlend;
  readonly pooled: LearnedBlend | null;
}

/** Blends by scenario and form. */
export type Blends = ReadonlyMap<string, ReadonlyMap<string, FormBlend>>;

/** The pooling behind a scenario's score by a form, where all scenarios are answered. */
export function servedBlend({ separate, pooled }: FormBlend): LearnedBlend {
  return pooled ?? separate;
}

/**
 * Learns on held-out source models what blends the estimators of every scenario and form, and where the answers to all
 * scenarios serve.
 * @param rows - the models that were cross-validated
 */
export function learnBlends(
  benchmark: Benchmark,
  rows: readonly number[],
  method: Method,
  forms: readonly FormPlan[],
  validation: Validation,
): Blends {
  return new Map(
    benchmark.scenarios.map((scenario): [string, ReadonlyMap<string, FormBlend>] => {
      const validations = validation.get(scenario.id)!;
      const [separates, pooleds] = POOLINGS.map((pooling) =>
        formBlends(scenario, rows, method, forms, (form) => validations.get(form)![pooling]),
      );
      const blendsOf = ({ id }: FormPlan): [string, FormBlend] => {
        const [separate, pooled] = [separates!.get(id)!, pooleds!.get(id)!];
        return [id, { separate, pooled: errsLess(pooled, separate, method) ? pooled : null }];
      };
      return [scenario.id, new Map(forms.map(blendsOf))];
    }),
  );
}

/** The blends of one scenario's forms by one pooling. @param validation - by a form's id */
function formBlends(
  { id, matrix, families }: Scenario,
  rows: readonly number[],
  { settings: { lambda: rule } }: Method,
  forms: readonly FormPlan[],
  validation: (form: string) => CrossValidation,
): Map<string, LearnedBlend> {
  const validationOf = (form: FormPlan): CrossValidation => validation(form.id);
  const size = (form: FormPlan): number => anchorsIn(form, id);
  const served = (form: FormPlan): number => {
    const { interpolation, extrapolation } = validationOf(form);
    if (rule === "learned") return blendingWeight([...interpolation, ...extrapolation]);
    // The reference validates mean predictions with half of all items answered; the largest form stands for that here.
    const most = validationOf(forms.reduce((one, other) => (size(other) > size(one) ? other : one))).interpolation;
    const bias =
      most.reduce((sum, { base, truth }) => sum + Math.abs(base["p-irt"] - truth), 0) / Math.max(1, most.length);
    return referenceLambda(bias, meanVariance(matrix, rows), size(form));
  };
  return new Map(
    forms.map((form): [string, LearnedBlend] => {
      const validation = validationOf(form);
      const { interpolation, extrapolation } = validation;
      const [n, lambda] = [size(form), served(form)];
      const narrowing = tighteningRule(thatAnswered(interpolation), families);
      return [
        form.id,
        {
          validation,
          served: blendOf(validation, n, lambda, narrowing),
          foldOut: withoutFold([...interpolation, ...extrapolation], (held) => {
            const others = (estimates: readonly HeldOutEstimate[]): HeldOutEstimate[] =>
              estimates.filter(({ model }) => !held.has(model));
            const seen = { interpolation: others(interpolation), extrapolation: others(extrapolation) };
            // The reference's rule has no other λ.
            const foldLambda =
              rule === "reference" ? lambda : blendingWeight([...seen.interpolation, ...seen.extrapolation]);
            return blendOf(seen, n, foldLambda, narrowing);
          }),
        },
      ];
    }),
  );
}

/**
 * The parameters of the stack, the gate and its intervals, from models like the others and, outside the range, stronger ones.
 * @param n - anchors, for an error where nothing was held out: that of a fair coin's mean
 * @param narrowing - how intervals are narrowed by what held-out models need; none: the draw alone is known
 */
function blendOf(
  { interpolation, extrapolation }: CrossValidation,
  n: number,
  lambda: number,
  narrowing: TighteningRule | null,
): Blend {
  const blend = {
    lambda,
    stack: stackWeights(interpolation),
    rmse:
      rootMeanSquare(interpolation.map(({ base, truth }) => partlyCorrectedMean(base) - truth)) ?? 0.5 / Math.sqrt(n),
    overallRmse: rootMeanSquare(
      interpolation.flatMap(({ seen: { overall } }) => (overall === null ? [] : [overall.score - overall.truth])),
    ),
    recalibration: recalibrationWeight(extrapolation),
  };
  return { ...blend, tightening: intervalTightening(thatAnswered(interpolation), blend, narrowing) };
}

/** Of those that are known; null where none is. */
function rootMeanSquare(errors: readonly number[]): number | null {
  const measured = errors.filter((error) => !Number.isNaN(error));
  return measured.length > 0 ? Math.sqrt(measured.reduce((sum, error) => sum + error ** 2, 0) / measured.length) : null;
}

/** Whether one blend's score errs less than another's, squared, on the same held-out models and forms, enough of them. */
function errsLess(one: LearnedBlend, other: LearnedBlend, method: Method): boolean {
  const estimator = headlineEstimator(method);
  const others = new Map(other.validation.interpolation.map((estimate) => [heldOutKey(estimate), estimate]));
  const pairs = one.validation.interpolation.flatMap((estimate) => {
    const same = others.get(heldOutKey(estimate));
    return same ? [[estimate, same] as const] : [];
  });
  if (new Set(pairs.map(([{ model }]) => model)).size < LEAST_MODELS) return false;
  const squares = (side: 0 | 1, { foldOut }: LearnedBlend): number =>
    pairs.reduce((sum, pair) => {
      const estimate = pair[side];
      return sum + (heldOutScore(estimate, estimator, foldOut(estimate)) - estimate.truth) ** 2;
    }, 0);
  return squares(0, one) < squares(1, other);
}

/** A held-out model and the form that it was asked. */
export function heldOutKey({ model, draw }: Pick<HeldOutEstimate, "model" | "draw">): string {
  return `${model}/${draw}`;
}

/** Mean over models of the variance of their scores on a scenario's items; models without any answer have none. */
function meanVariance(matrix: Scenario["matrix"], rows: readonly number[]): number {
  let total = 0;
  let models = 0;
  for (const m of rows) {
    let sum = 0;
    let squares = 0;
    let seen = 0;
    for (let i = 0; i < matrix.items.length; i++) {
      const score = scoreAt(matrix, m, i);
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
