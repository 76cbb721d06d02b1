import { normalCdf } from "../numeric/distributions.ts";
import { bernoulliVariance, clamp, type Bounds } from "./answered-sample.ts";
import { commonShift, leapOf, recalibratedMean } from "./logit-shift.ts";
import { blendedMean } from "./predicted-means.ts";
import { unlikeModel, unlikeShare } from "./unlike-answers.ts";
import {
  BASE_ESTIMATORS,
  type BaseScores,
  type Blend,
  type ByEstimator,
  type DrawnAnswers,
  type LogitShift,
  type SeenModels,
  type SeenScores,
} from "./types.ts";

/**
 * Share of p-irt-dr's correction that goes into a model's place among the source models (docs/decisions/estimators.md).
 */
const CORRECTION = 0.5;

/**
 * By how many of its errors the partly corrected mean must lie inside the widest range known to be as likely inside as
 * out: the stack fails outside by more than the partly corrected mean does inside (docs/decisions/estimators.md).
 */
const MARGIN = 0.5;

/**
 * Where scenarios are estimated together: by how many of its errors the partly corrected mean of one of them must lie
 * beyond the range to be as likely outside as in. One scenario says little of where a model stands; all of them decide
 * (docs/decisions/estimators.md).
 */
const BEYOND = 2;

/**
 * Squared standard errors up to which the draw of the anchors explains a squared difference
 * (docs/decisions/estimators.md).
 */
const EXPLAINED = 4;

/** The base estimates of one scenario, and what they rest on. */
export interface BaseEstimates {
  readonly base: BaseScores;
  readonly bounds: Bounds;
  readonly shift: LogitShift;
  /** {@link unlikeEvidence} of the answers. */
  readonly unlike: number;
  /** The draw of the anchors; null where there is none. */
  readonly sampling: DrawnAnswers | null;
}

/** Probability that the full score lies above, or below, those of all source models. */
type Outside = Readonly<Record<"above" | "below", number>>;

/** The estimate outside the range seen, and what it is mixed of: o = w·R + (1−w)·aipw, R the recalibrated mean. */
export interface OutsideEstimate {
  /** o. */
  readonly score: number;
  /** η, {@link unlikeShare} of the answers. */
  readonly unlike: number;
  /** w, in [0,1]. */
  readonly weight: number;
  /** R − aipw, what R lags behind in all scenarios taken off. */
  readonly difference: number;
}

/** Base estimates with their blends. */
export interface BlendedEstimates {
  readonly estimators: ByEstimator<number>;
  /**
   * Probability that the full score lies above or below every source model's, in this scenario or over all that are
   * estimated together, whichever is the surer.
   */
  readonly outside: Outside;
  /** P, the share of the gate that stands outside the range, in [0,1]. */
  readonly share: number;
  /** By how much the stack and the estimate outside the range differ, between which the gate stands. */
  readonly gap: number;
  readonly beyond: OutsideEstimate;
}

/**
 * The estimators that blend others.
 * `gp-irt`: λ·anchor-mean + (1−λ)·p-irt. `stack`: the convex blend of {@link BASE_ESTIMATORS} that was best on
 * held-out source models. `gate`: (1−P)·stack + P·o, trusting the stack inside the range seen and o
 * ({@link outsideEstimate}) outside it. P = Φ((c − best)/rmse + ½) + Φ((worst − c)/rmse + ½), c = ½·p-irt-dr + ½·p-irt: the
 * chance of being outside, of half an error inside already. Where scenarios are estimated together, P is the larger of
 * the same of the mean over all scenarios and of this with −2 for ½: a model stronger than any seen is unlike them also
 * in a scenario where one of them is as good, and one scenario alone says little of where a model stands. P is at least η,
 * the chance that the answers follow no prediction ({@link unlikeShare}): what is learned from the sources says nothing then.
 * All are clamped to the bounds that the answers prove.
 * @param seen - the source models' range
 */
export function blendEstimates(
  estimate: BaseEstimates,
  blend: Omit<Blend, "tightening">,
  seen: SeenModels,
): BlendedEstimates {
  const { base, bounds } = estimate;
  const stack = BASE_ESTIMATORS.reduce((sum, id) => sum + blend.stack[id] * base[id], 0);
  const corrected = partlyCorrectedMean(base);
  const gpIrt = blendedMean(blend.lambda, base, bounds);
  const beyond = outsideEstimate(estimate, seen, blend.recalibration);
  const alone = seen.overall === null || blend.overallRmse === null;
  const here = placeOf(corrected, seen, blend.rmse, alone ? MARGIN : -BEYOND);
  const overall = alone ? here : placeOf(seen.overall.score, seen.overall, blend.overallRmse, MARGIN);
  const { outside } = overall.chance > here.chance ? overall : here;
  const share = Math.max(overall.share, here.share, beyond.unlike);
  return {
    estimators: {
      "anchor-mean": base["anchor-mean"],
      "p-irt": base["p-irt"],
      "gp-irt": gpIrt,
      "p-irt-dr": base["p-irt-dr"],
      gaussian: base.gaussian,
      "ridge-gap": base["ridge-gap"],
      aipw: base.aipw,
      ...(base["score-map"] !== undefined && { "score-map": base["score-map"] }),
      stack: clamp(stack, bounds),
      gate: clamp((1 - share) * stack + share * beyond.score, bounds),
    },
    outside,
    share,
    gap: Math.abs(stack - beyond.score),
    beyond,
  };
}

/**
 * The estimate outside the range seen: o = w·R + (1−w)·aipw. R is what the response model says once its predictions are
 * recalibrated by the answers ({@link recalibratedMean}), aipw what the answers say alone. w = c where both differ by no
 * more than the draw explains; c times the share of the difference that it does explain ({@link explainedShare}) where they
 * differ by more, since then the response model is wrong of this model; R counts without what it lags behind in all
 * scenarios together. All times 1 − η: where the answers follow no prediction, aipw alone is right ({@link unlikeShare}).
 * @param recalibration - c, in [0,1]
 */
export function outsideEstimate(estimate: BaseEstimates, seen: SeenModels, recalibration = 1): OutsideEstimate {
  const { base, sampling } = estimate;
  const unlike = unlikeShare(estimate.unlike, seen.overall?.unlike ?? unlikeModel([estimate.unlike]));
  const recalibrated = recalibratedMean(
    estimate,
    seen.overall && seen.overall.shift,
    leapOf(partlyCorrectedMean(base), seen),
  );
  const difference = recalibrated - (seen.overall?.lag ?? 0) - base.aipw;
  const explained = explainedShare(difference, base["p-irt-dr"], sampling?.answers, sampling?.unit);
  const weight = recalibration * explained * (1 - unlike);
  return { score: base.aipw + weight * difference, unlike, weight, difference };
}

/**
 * Share of a difference that the draw of the anchors may explain: min(1, 4B/d²), B = p̃(1−p̃)·Σm²(1−π) the variance of a
 * mean of as many random items, p̃ = (n·ŝ + 1)/(n + 2).
 * @param score - ŝ
 * @param unit - Σm²(1−π); without a draw all is explained
 */
function explainedShare(difference: number, score: number, answers = NaN, unit = NaN): number {
  const explained = EXPLAINED * bernoulliVariance(score, answers) * unit;
  return difference ** 2 > explained ? explained / difference ** 2 : 1;
}

/**
 * Where a model stands among the source models by the weighted mean over all scenarios, from the answers to all of them.
 * The shift is what their logits share; the lag is what the draw doesn't explain of the mean of R − aipw, of a model that
 * leaps by less than the range is wide by as much less; unlike is the chance that the model is, {@link unlikeModel}.
 * @param parts - the model's pooled estimates in all scenarios with their shares of the mean, which sum to 1
 */
export function overallPlace(
  seen: SeenScores,
  parts: readonly (BaseEstimates & { readonly share: number })[],
): NonNullable<SeenModels["overall"]> {
  const sum = (term: (part: BaseEstimates & { readonly share: number }) => number): number =>
    parts.reduce((total, part) => total + term(part), 0);
  const score = sum(({ share, base }) => share * partlyCorrectedMean(base));
  const leap = leapOf(score, seen);
  const shift = commonShift(
    parts.map((part) => part.shift),
    leap,
  );
  const difference = sum((part) => part.share * (recalibratedMean(part, shift) - part.base.aipw));
  const corrected = sum(({ share, base }) => share * base["p-irt-dr"]);
  const answers = sum(({ sampling }) => sampling?.answers ?? NaN);
  const unit = sum(({ share, sampling }) => share ** 2 * (sampling?.unit ?? NaN));
  return {
    ...seen,
    score,
    shift,
    unlike: unlikeModel(parts.map((part) => part.unlike)),
    lag: clamp(leap, { low: 0, high: 1 }) * difference * (1 - explainedShare(difference, corrected, answers, unit)),
  };
}

/** The chance that a score lies outside a range, on either side and in all, and P, for a range narrower by `margin` errors. */
function placeOf(
  score: number,
  { worst, best }: SeenScores,
  rmse: number,
  margin: number,
): { outside: Outside; chance: number; share: number } {
  const outside = outsideProbability(score, [worst, best], rmse);
  const narrowed = outsideProbability(score, [worst + margin * rmse, best - margin * rmse], rmse);
  return { outside, chance: outside.above + outside.below, share: Math.min(1, narrowed.above + narrowed.below) };
}

/**
 * p-irt-dr with half of its correction: ½·p-irt-dr + ½·p-irt. What the anchors' residuals say of the other items is
 * half noise, so that a model's place among the source models is surer with half of it.
 */
export function partlyCorrectedMean(base: BaseScores): number {
  return CORRECTION * base["p-irt-dr"] + (1 - CORRECTION) * base["p-irt"];
}

/**
 * Probability that the full score lies above the best and below the worst source model's, the estimate's error
 * being Gaussian: P_above = Φ((ŝ − best)/rmse), P_below = Φ((worst − ŝ)/rmse).
 * @param estimate - estimate of the score that holds outside of the range too
 * @param sourceScores - the source models' full scores, ascending
 * @param rmse - its root mean square error on held-out source models, as a fraction
 */
export function outsideProbability(estimate: number, sourceScores: ArrayLike<number>, rmse: number): Outside {
  const scale = Math.max(rmse, 1e-9);
  return {
    above: normalCdf((estimate - sourceScores[sourceScores.length - 1]!) / scale),
    below: normalCdf((sourceScores[0]! - estimate) / scale),
  };
}
