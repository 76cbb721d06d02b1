import { withPart } from "anchoreval/internal/core/bundle/part";
import { type UnaskedManifest, unaskedPart } from "anchoreval/internal/features/unasked/core";
import type { EstimatorId } from "anchoreval/internal/core/estimators/types";
import { studentTQuantile } from "anchoreval/internal/core/numeric/distributions";
import {
  type KnownScore,
  knownScore,
  logitScore,
  predictLogits,
  scoreLogit,
} from "anchoreval/internal/features/unasked/sdk/predict-scenarios";
import type { FitPart, FittedPart } from "../../../offline-trainer/src/fit/options.ts";
import type { Benchmark } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { fullScores } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { mean } from "../../../offline-trainer/src/numeric/statistics.ts";
import { headlineEstimator, type Method } from "../../../offline-trainer/src/methods/method.ts";
import { tighteningRule } from "../../../offline-trainer/src/fit/blend-figures.ts";
import { heldOutKey, type LearnedBlend } from "../../../offline-trainer/src/fit/blends.ts";
import type { FormPlan } from "../../../offline-trainer/src/fit/form-plans.ts";
import {
  conformalQuantile,
  heldOutResult,
  rounded,
  thatAnswered,
  withoutFold,
} from "../../../offline-trainer/src/fit/held-out-scores.ts";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";

/** Means and covariance of the scenarios' logits over some models. */
type ScoreModel = Pick<UnaskedManifest, "models" | "mean" | "covariance">;

/** How well unasked scenarios of a form are predicted, by scenario. */
type MeasuredForm = UnaskedManifest["forms"][string];

/** A held-out model's scenario, predicted from the estimates of the others. */
interface Prediction {
  readonly estimate: HeldOutEstimate;
  /** |prediction − truth|, a fraction. */
  readonly error: number;
  /** |logit of the prediction − of the truth|, in half-widths of the Gaussian's 95 % interval. */
  readonly scaled: number;
}

/** Every fit's part that measures predictions of scenarios that aren't asked, where all are pooled. */
export const unaskedScenarios: FitPart = {
  stage: "measured errors",
  add: ({ content, parts: [first, ...others], method, forms }) => {
    const measured = others.length === 0 && measureUnasked(first!, method, forms);
    return measured ? { ...content, manifest: withPart(content.manifest, unaskedPart, measured) } : content;
  },
};

/**
 * How scenarios go together, and what predictions of each from the others err by on held-out models, whose fold had no part
 * in it: the others' scores are estimated from their anchors, each by its own answers, as where one isn't asked.
 * @returns undefined where nothing could be measured: one scenario, scores that don't vary, or held-out models too few to
 *   tell intervals ({@link tighteningRule})
 */
function measureUnasked(
  { benchmark, blends }: Pick<FittedPart, "benchmark" | "blends">,
  method: Method,
  forms: readonly FormPlan[],
): UnaskedManifest | undefined {
  const logits = logitsOf(benchmark);
  const complete = [...benchmark.models.keys()].filter((m) => logits.every((column) => !Number.isNaN(column[m]!)));
  const model = scoreModel(logits, complete);
  if (blends.size < 2 || model === null) return undefined;
  const measured = forms.flatMap(({ id }): [string, MeasuredForm][] => {
    const tables = [...blends.values()].map((byForm) =>
      scoreTable(byForm.get(id)!.separate, headlineEstimator(method)),
    );
    const modelWithout = withoutFold(
      tables.flatMap((table) => Array.from(table.values(), ({ estimate }) => estimate)),
      (held) => {
        const others = complete.filter((m) => !held.has(m));
        return scoreModel(logits, others);
      },
    );
    const scenarios = [...blends.keys()].flatMap((scenario, s): [string, MeasuredForm[string]][] => {
      const predicted = predictions(tables, s, modelWithout);
      const estimates = predicted.map(({ estimate }) => estimate);
      return tighteningRule(estimates, benchmark.families) === "conformal" ? [[scenario, measuredOf(predicted)]] : [];
    });
    return scenarios.length > 0 ? [[id, Object.fromEntries(scenarios)]] : [];
  });
  if (measured.length === 0) return undefined;
  const { models, mean, covariance } = model;
  return { models, mean: mean.map(rounded), covariance: covariance.map(rounded), forms: Object.fromEntries(measured) };
}

/** Logits of all models' full scores, a row a scenario. */
function logitsOf({ scenarios }: Benchmark): Float64Array[] {
  return scenarios.map((scenario) => fullScores(scenario.matrix, scenario).score.map(scoreLogit));
}

/**
 * Models that the mean correlation counts as in each correlation. So shrink Ledoit & Wolf (2004); that it is ten was
 * chosen, not measured.
 */
const PRIOR_MODELS = 10;

/**
 * Means and covariance of logits over some models; each correlation is drawn to their mean, as if ten more models had shown
 * that.
 * @returns null for fewer than three models, or where a scenario's scores don't vary
 * @see Ledoit & Wolf (2004), Journal of Portfolio Management 30, 110–119 (constant correlation as target)
 */
export function scoreModel(logits: readonly Float64Array[], models: readonly number[]): ScoreModel | null {
  const [size, n] = [logits.length, models.length];
  if (n < 3) return null;
  const mean = logits.map((column) => models.reduce((sum, m) => sum + column[m]!, 0) / n);
  const covariance = logits.flatMap((one, s) =>
    logits.map(
      (other, t) => models.reduce((sum, m) => sum + (one[m]! - mean[s]!) * (other[m]! - mean[t]!), 0) / (n - 1),
    ),
  );
  const deviations = logits.map((_, s) => Math.sqrt(covariance[s * size + s]!));
  if (deviations.some((deviation) => !(deviation > 1e-6))) return null;
  const correlation = (s: number, t: number): number => covariance[s * size + t]! / (deviations[s]! * deviations[t]!);
  const pairs = logits.flatMap((_, s) => logits.flatMap((_, t) => (s < t ? [correlation(s, t)] : [])));
  const common = pairs.reduce((sum, value) => sum + value, 0) / Math.max(1, pairs.length);
  return {
    models: n,
    mean,
    covariance: covariance.map((value, at) => {
      const [s, t] = [Math.floor(at / size), at % size];
      if (s === t) return value;
      return ((n * correlation(s, t) + PRIOR_MODELS * common) / (n + PRIOR_MODELS)) * deviations[s]! * deviations[t]!;
    }),
  };
}

/** A held-out estimate with the score that it comes to. */
interface HeldOutScore {
  readonly estimate: HeldOutEstimate;
  /** Null where the estimate failed. */
  readonly known: KnownScore | null;
}

/** A scenario's held-out scores as they are where another isn't asked: no place over all scenarios is known. */
function scoreTable({ validation, foldOut }: LearnedBlend, estimator: EstimatorId): ReadonlyMap<string, HeldOutScore> {
  const estimates = thatAnswered(validation.interpolation).map((estimate) => ({
    ...estimate,
    seen: { ...estimate.seen, overall: null },
  }));
  const results = estimates.map((estimate) => heldOutResult(estimate, estimator, foldOut(estimate)));
  const rmse = Math.sqrt(mean(estimates.map(({ truth }, k) => (results[k]!.score - truth) ** 2)));
  return new Map(
    estimates.map((estimate, k) => {
      const { score, sampling } = results[k]!;
      return [heldOutKey(estimate), { estimate, known: estimate.failed ? null : knownScore(score, sampling, rmse) }];
    }),
  );
}

/** Predictions of a scenario, by models learned without the fold, of held-out models that have scores in all others. */
function predictions(
  tables: readonly ReadonlyMap<string, HeldOutScore>[],
  scenario: number,
  modelWithout: (estimate: HeldOutEstimate) => ScoreModel | null,
): Prediction[] {
  return Array.from(tables[scenario]!).flatMap(([key, { estimate }]): Prediction[] => {
    const logits = tables.map((table, t) => (t === scenario ? null : (table.get(key)?.known ?? null)));
    const model = modelWithout(estimate);
    if (model === null || logits.filter((other) => other === null).length > 1) return [];
    const { mean, covariance, outside } = predictLogits(model, logits);
    if (outside) return []; // it isn't predicted where it is served, either
    const [logit, variance] = [mean[scenario]!, covariance[scenario * (tables.length + 1)]!];
    const half = studentTQuantile(0.975, model.models - 1) * Math.sqrt(variance);
    const error = Math.abs(logitScore(logit) - estimate.truth);
    return [{ estimate, error, scaled: Math.abs(logit - scoreLogit(estimate.truth)) / half }];
  });
}

/** Errors of a scenario's predictions; coverage by factors that their own fold had no part in. */
function measuredOf(predicted: readonly Prediction[]): MeasuredForm[string] {
  const estimates = predicted.map(({ estimate }) => estimate);
  const scaled = new Map(predicted.map(({ estimate, scaled }) => [estimate, scaled]));
  const factor = (among: readonly HeldOutEstimate[]): number | null =>
    conformalQuantile(among, (estimate) => scaled.get(estimate)!, 0.95);
  const factorOf = withoutFold(estimates, (held) => factor(estimates.filter(({ model }) => !held.has(model))));
  const factors = predicted.map(({ estimate }) => factorOf(estimate));
  return {
    factor: Math.max(1e-6, rounded(factor(estimates)!)), // there are enough models
    mae: rounded(mean(predicted.map(({ error }) => error))),
    coverage95: factors.includes(null)
      ? null
      : rounded(mean(predicted.map(({ scaled }, k) => (scaled <= factors[k]! ? 1 : 0)))),
  };
}
