import { blendEstimates } from "anchoreval/internal/core/estimators/blend-estimates";
import {
  type Blend,
  type ByEstimator,
  type EstimatorId,
  estimatorFigure,
} from "anchoreval/internal/core/estimators/types";
import {
  gatedSampling,
  gatedVariance,
  type SamplingVariance,
} from "anchoreval/internal/core/inference/sampling-variance";
import { designInterval } from "anchoreval/internal/core/inference/score-interval";
import { remembered } from "anchoreval/internal/core/scoring/scoring-model";
import { groupBy } from "anchoreval/internal/logs/run-log";
import type { CrossValidation } from "./folds.ts";
import type { HeldOutEstimate } from "./held-out.ts";

/**
 * Share of a form's anchors that a held-out model has answered to show what as many answers are worth. Chosen, not
 * measured.
 */
const ANSWERED = 0.9;

/**
 * Held-out models that answered a form: what intervals are narrowed by, and patterns judged by, depends on the number of
 * answers. Those that answered a part of the scenario, and as small a part of its anchors, show errors alone.
 */
export function thatAnswered(estimates: readonly HeldOutEstimate[]): HeldOutEstimate[] {
  return estimates.filter(({ part }) => part === null || part >= ANSWERED);
}

/** One estimator's score of a held-out model, blended here by the code that serves. */
export function heldOutScore(estimate: HeldOutEstimate, estimator: EstimatorId, blend: Blend): number {
  return estimatorFigure(blendEstimates(estimate, blend, estimate.seen).estimators, estimator);
}

/** A held-out model's scores by every estimator, and what is known of the one that serves. */
export interface HeldOutResult {
  readonly scores: ByEstimator<number>;
  readonly score: number;
  /** Its design-based variance, from the draw of the anchors: less where the gate knows better; null without a draw. */
  readonly sampling: SamplingVariance | null;
}

/** All scores of a held-out model, with the variance of one of them. */
export function heldOutResult(estimate: HeldOutEstimate, estimator: EstimatorId, blend: Blend): HeldOutResult {
  const { seen, sampling } = estimate;
  const blended = blendEstimates(estimate, blend, seen);
  const scores = blended.estimators;
  const score = estimatorFigure(scores, estimator);
  if (sampling === null || estimator !== "gate") return { scores, score, sampling };
  const gated = gatedVariance(blended, blend.tightening, sampling);
  return { scores, score, sampling: gatedSampling(sampling, gated, blended) };
}

/** The design-based 95 % interval of a held-out model's score; null where there is none. */
export function heldOutInterval({ bounds }: HeldOutEstimate, { score, sampling }: HeldOutResult): ScoreInterval | null {
  return sampling && designInterval({ score, bounds, sampling }, 0.95);
}

/**
 * The quantile of the absolute error that covers a new model like the sources with probability `level`: the
 * ⌈(M+1)·level⌉-th smallest of M held-out models' errors (split conformal), averaged over the forms drawn.
 * @param blend - what blends the estimators of an estimate
 * @returns a fraction; null where the models are too few for the level
 * @see Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World
 */
export function errorQuantile(
  estimates: readonly HeldOutEstimate[],
  estimator: EstimatorId,
  blend: (estimate: HeldOutEstimate) => Blend,
  level: number,
): number | null {
  const error = (estimate: HeldOutEstimate): number =>
    Math.abs(heldOutScore(estimate, estimator, blend(estimate)) - estimate.truth);
  return conformalQuantile(estimates, error, level);
}

/** The same of any figure of a held-out model. */
export function conformalQuantile(
  estimates: readonly HeldOutEstimate[],
  figure: (estimate: HeldOutEstimate) => number,
  level: number,
): number | null {
  return figureQuantiles(estimates, figure, [level])[0]!;
}

/** The same at several levels. */
export function figureQuantiles(
  estimates: readonly HeldOutEstimate[],
  figure: (estimate: HeldOutEstimate) => number,
  levels: readonly number[],
): (number | null)[] {
  const draws = Array.from(groupBy(estimates, ({ draw }) => draw).values(), (drawn) =>
    Float64Array.from(drawn.map(figure)).sort(),
  );
  return levels.map((level) => {
    let sum = 0;
    for (const figures of draws) {
      const rank = Math.ceil((figures.length + 1) * level);
      if (rank > figures.length) return null;
      sum += figures[rank - 1]!;
    }
    return draws.length > 0 ? sum / draws.length : null;
  });
}

/**
 * The same of figures that are pooled, several of each model: the ⌈⌈(M+1)·level⌉·n/M⌉-th smallest of n.
 * @param models - M
 * @returns null where the models are too few for the level
 */
export function pooledQuantile(figures: readonly number[], models: number, level: number): number | null {
  const rank = Math.ceil((Math.ceil((models + 1) * level) * figures.length) / models);
  return rank > figures.length ? null : Float64Array.from(figures).sort()[rank - 1]!;
}

/** An interval of a score, as fractions. */
export interface ScoreInterval {
  readonly low: number;
  readonly high: number;
}

/** Rounding of a score, a sum of float64, that an interval may miss by. */
const ROUNDING = 1e-12;

/** Whether an interval holds the truth; one that ends in it does, but for rounding. */
export function holdsTruth({ low, high }: ScoreInterval, truth: number): boolean {
  return low <= truth + ROUNDING && truth <= high + ROUNDING;
}

/**
 * Winkler's score of an interval: its width, and 2/α times whatever the truth lies outside; less is better, and telling
 * the true quantiles makes it least on average.
 * @param level - 1 − α, in (0,1)
 * @see Winkler (1972), JASA 67, 187–191; Gneiting & Raftery (2007), JASA 102, 359–378, §6.2
 * @example winklerScore({ low: 0.4, high: 0.6 }, 0.65, 0.95) // ≈ 0.2 + 40 · 0.05 = 2.2
 */
export function winklerScore({ low, high }: ScoreInterval, truth: number, level: number): number {
  return high - low + (2 / (1 - level)) * Math.max(0, low - truth, truth - high);
}

/** The errors that the intervals of a scenario's held-out models come from. */
export interface CrossFittedInput extends CrossValidation {
  readonly estimator: EstimatorId;
  readonly interval: "design" | "cross-validated";
  /** The blend of a held-out model's estimators, learned without it. */
  readonly blend: (estimate: HeldOutEstimate) => Blend;
}

/**
 * The 95 % interval that a held-out model was given; a cross-validated one comes from the errors of models that its fold
 * does not hold out, in whichever fold they were.
 * @returns null for a model that can't be given one
 */
export function crossFittedInterval({
  estimator,
  interval,
  blend,
  interpolation,
  extrapolation,
}: CrossFittedInput): (estimate: HeldOutEstimate, result: HeldOutResult) => ScoreInterval | null {
  if (interval === "design") return heldOutInterval;
  const errorOfModel = remembered((estimate: HeldOutEstimate) =>
    Math.abs(heldOutScore(estimate, estimator, blend(estimate)) - estimate.truth),
  );
  const errorOf = withoutFold([...interpolation, ...extrapolation], (held) => {
    const others = interpolation.filter(({ model }) => !held.has(model));
    return conformalQuantile(others, errorOfModel, 0.95);
  });
  return (estimate, { score }) => {
    const error = errorOf(estimate);
    if (error === null) return null;
    return { low: Math.max(estimate.bounds.low, score - error), high: Math.min(estimate.bounds.high, score + error) };
  };
}

/**
 * Values learned without the fold of an estimate: without the models that the fold holds out, in whichever fold they
 * were. Learned when first asked for, once a fold.
 * @param estimates - all that were held out
 * @param learn - given the models to leave out
 */
export function withoutFold<Learned>(
  estimates: readonly HeldOutEstimate[],
  learn: (held: ReadonlySet<number>) => Learned,
): (estimate: Pick<HeldOutEstimate, "fold">) => Learned {
  const learned = remembered((fold: number) =>
    learn(new Set(estimates.filter((other) => other.fold === fold).map(({ model }) => model))),
  );
  return ({ fold }) => learned(fold);
}

/**
 * Standard error of a ratio of sums whose linearised residuals are given, clustered by target model: models are in
 * the targets of different numbers of seeds, so that their sums count, not their means.
 * @param models - the model of every residual
 * @param total - the sum below the line
 * @returns null for a single model
 * @see Cochran (1977), Sampling Techniques, ch. 9A (ratios of cluster totals)
 */
export function clusteredError(models: readonly number[], residuals: readonly number[], total: number): number | null {
  const sums = new Map<number, number>();
  models.forEach((model, k) => sums.set(model, (sums.get(model) ?? 0) + residuals[k]!));
  if (sums.size < 2) return null;
  let squares = 0;
  for (const sum of sums.values()) squares += sum * sum;
  return Math.sqrt((sums.size / (sums.size - 1)) * squares) / total;
}

/** Six decimals: a ten-thousandth of a point is more than any error is known to. */
export function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
