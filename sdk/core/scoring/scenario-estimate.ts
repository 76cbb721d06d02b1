import type { AbilityEstimate } from "../ability/map.ts";
import { answerRegressions, type AnswerRegressions, linearScore } from "../estimators/answer-regressions.ts";
import { answeredSample, clamp, knownBounds, type Bounds, wholeSample } from "../estimators/answered-sample.ts";
import { factorSolver, gaussianMean, unansweredLoadings } from "../estimators/factor-scores.ts";
import { logitShift } from "../estimators/logit-shift.ts";
import { unlikeEvidence } from "../estimators/unlike-answers.ts";
import { anchorMean, correctedMean, modelImputedMean } from "../estimators/predicted-means.ts";
import { type AnswerFeatures, pooledFeatures, mappedScore, type ScoreMaps } from "../estimators/score-maps.ts";
import type {
  AnchorFactors,
  AnchorSet,
  AnsweredSample,
  BaseScores,
  LogitShift,
  ScenarioState,
} from "../estimators/types.ts";
import { NO_SAMPLING, samplingVariance, type SamplingVariance } from "../inference/sampling-variance.ts";
import type { FloatArray, ItemBank } from "../irt/item-bank.ts";
import { quadraticForm } from "../numeric/dense.ts";
import type { MonotoneMap } from "../numeric/functions.ts";
import { type AnswerCurves, answerCurves } from "../person-fit/statistics.ts";
import { expectedScore, onScale } from "./predicted-scores.ts";

/** One scenario, ready for estimates: parameters, weights and one anchor set. */
export interface ScenarioModel {
  readonly bank: ItemBank;
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
  /** From response probability to score, where scores were binarised for the fit. */
  readonly scoreMap: MonotoneMap | null;
  readonly anchors: AnchorSet;
  readonly factors: AnchorFactors;
  /** Of the source models' answers. */
  readonly answerFactors: AnchorFactors;
  /** Of the score map, where the form has one. */
  readonly maps?: ScoreMaps | null;
}

/** The estimates from a scenario's answers, before they are blended. */
export interface ScenarioEstimate {
  /** Every base estimator's score, in [0,1]; {@link blendEstimates} gives the others. */
  readonly base: BaseScores;
  /** Inputs of this scenario to the score maps of all scenarios; null where the form has no map. */
  readonly features: AnswerFeatures | null;
  readonly sample: AnsweredSample;
  /** The range of the full score that the answers alone prove. */
  readonly bounds: Bounds;
  /** Residuals of the answers as if none had moved the ability, (y−p̂)/(1−h). */
  readonly residuals: Float64Array;
  /** p-irt-dr's design-based variance, from the draw of the anchors; null where there is none. */
  readonly sampling: SamplingVariance | null;
  /** The shift of all logits that the answers tell of. */
  readonly shift: LogitShift;
  /** {@link unlikeEvidence} of the answers. */
  readonly unlike: number;
  /** Leverages h of the answers, {@link answerLeverages}. */
  readonly leverages: Float64Array;
}

/** The part of a scenario's estimate that depends on no ability. */
export interface ScenarioAnswers {
  readonly sample: AnsweredSample;
  readonly bounds: Bounds;
  /** The estimators that know no ability, in [0,1]. */
  readonly base: Readonly<Record<"anchor-mean" | "ridge-gap" | "aipw", number>>;
  readonly anchors: AnsweredAnchors;
}

/** All that follows from which anchors were answered, whatever the answers: models that answered the same ones share it. */
export interface AnsweredAnchors {
  readonly regressions: AnswerRegressions;
  /** {@link unansweredLoadings} */
  readonly unanswered: Float64Array;
}

/** @param sample - any answers to these anchors */
export function answeredAnchors(
  { factors, answerFactors, weights }: ScenarioModel,
  sample: AnsweredSample,
): AnsweredAnchors {
  return {
    regressions: answerRegressions(answerFactors, weights, sample),
    unanswered: unansweredLoadings(factors, weights, sample),
  };
}

/**
 * @param scores - aligned with `model.anchors.items`; NaN = no answer
 * @param prepared - of the answered anchors, where it is known
 * @returns null where nothing was answered
 */
export function scenarioAnswers(
  model: ScenarioModel,
  scores: ArrayLike<number>,
  prepared?: AnsweredAnchors,
): ScenarioAnswers | null {
  const sample = answeredSample(model.anchors, scores);
  if (sample === null) return null;
  const bounds = knownBounds(model.weights, sample);
  const anchors = prepared ?? answeredAnchors(model, sample);
  const { regressions } = anchors;
  return {
    sample,
    bounds,
    anchors,
    base: {
      "anchor-mean": clamp(anchorMean(sample), bounds),
      "ridge-gap": clamp(linearScore(regressions.ridgeGap, sample.scores), bounds),
      aipw: clamp(linearScore(regressions.aipw, sample.scores), bounds),
    },
  };
}

/** Parts that estimates of a scenario from the same scores share, where they are known. */
interface SharedParts {
  /** û of the model, where answers of other scenarios count too. */
  readonly factors?: Float64Array;
  /** By the scores themselves. */
  readonly answers?: ScenarioAnswers | null;
  /** Of the answers at that ability. */
  readonly curves?: AnswerCurves;
}

/**
 * The base estimators of one scenario from its answered anchors and the model's ability.
 * Scores are clamped to the bounds that the answers prove; with all items answered each is exactly S.
 * @param scores - aligned with `model.anchors.items`; NaN = no answer
 * @param shared - what was computed before
 * @returns null where nothing was answered
 */
export function estimateScenario(
  model: ScenarioModel,
  scores: ArrayLike<number>,
  ability: AbilityEstimate,
  {
    factors = factorSolver([model.factors])([scores]),
    answers = scenarioAnswers(model, scores),
    curves,
  }: SharedParts = {},
): ScenarioEstimate | null {
  if (answers === null) return null;
  const { sample, bounds } = answers;
  const { state, corrected, ...read } = correctedAnswers(model, ability, sample, bounds, curves);
  const features = model.maps ? answerFeatures(model.maps, answers.base["anchor-mean"], state.expected, bounds) : null;
  return {
    base: {
      ...answers.base,
      "p-irt": clamp(modelImputedMean(state), bounds),
      "p-irt-dr": corrected,
      gaussian: clamp(gaussianMean(model.factors, model.weights, sample, factors, answers.anchors.unanswered), bounds),
      ...(features && { "score-map": features.score }),
    },
    features,
    sample,
    bounds,
    ...read,
    shift: logitShift(state),
    unlike: unlikeEvidence(state),
    sampling: samplingVariance(corrected, sample, read.residuals),
  };
}

/** An estimate of a scenario of which every item was answered: each estimator is S, and nothing was drawn. @param scores - of all items */
export function wholeEstimate(
  estimate: ScenarioEstimate,
  weights: Float64Array,
  scores: Float64Array,
): ScenarioEstimate {
  const sample = wholeSample(weights, scores);
  const bounds = knownBounds(weights, sample);
  const base = Object.fromEntries(Object.keys(estimate.base).map((id) => [id, bounds.low])) as BaseScores;
  return { ...estimate, base, sample, bounds, sampling: NO_SAMPLING };
}

/** A sample beside what an ability predicts of it: the wholly corrected mean, residuals (y−p̂)/(1−h) and leverages h. */
export function correctedAnswers(
  { bank, weights, scoreMap }: Pick<ScenarioModel, "bank" | "weights" | "scoreMap">,
  { theta, covariance }: Pick<AbilityEstimate, "theta" | "covariance">,
  sample: AnsweredSample,
  bounds: Bounds,
  curves = answerCurves(bank, theta, sample),
) {
  const { score: expected, spread } = expectedScore(theta, bank, weights, scoreMap);
  const predicted = onScale(curves.p, scoreMap);
  const leverages = answerLeverages(bank, curves, covariance, sample.items);
  const state: ScenarioState = { weights, expected, spread, predicted, sample };
  const corrected = clamp(correctedMean(state), bounds);
  const residuals = sample.scores.map((score, j) => (score - predicted[j]!) / (1 - leverages[j]!));
  return { state, corrected, residuals, leverages };
}

/** Inputs of score maps from one scenario; its own map's score is clamped to the bounds. */
export function answerFeatures(
  { alone }: Pick<ScoreMaps, "alone">,
  mean: number,
  expected: number,
  bounds: Bounds,
): AnswerFeatures {
  const features = { mean, expected, score: NaN };
  const score = mappedScore(alone, ({ feature }) => features[feature]);
  return { ...features, score: clamp(score, bounds) };
}

/**
 * A leverage that is cut here: an answer that moves its own prediction by more says nothing of its error. Chosen, not
 * measured.
 */
const LARGEST = 0.9;

/**
 * Leverage of each answer on its own prediction, h = I(z)·aᵀ·Cov(θ̂)·a with the expected information I(z) of the answer in
 * its logit: 0 for an answer that didn't move the ability, at most .9.
 * @param curves - of the answers at the ability
 * @param covariance - of the ability, D×D row-major
 * @param items - indices of the answered items
 * @returns one a item, in [0,0.9]
 * @see Cook & Weisberg (1982), Residuals and Influence in Regression, ch. 2
 */
export function answerLeverages(
  bank: ItemBank,
  { information }: Pick<AnswerCurves, "information">,
  covariance: FloatArray,
  items: ArrayLike<number>,
): Float64Array {
  const { dims, a } = bank;
  const leverages = new Float64Array(items.length);
  for (let j = 0; j < items.length; j++) {
    const spread = quadraticForm(a, items[j]! * dims, covariance, dims);
    leverages[j] = Math.min(LARGEST, information[j]! * spread);
  }
  return leverages;
}

/**
 * An estimate from all scenarios' answers, with the score of the map that reads them all in place of its own map's.
 * @param maps - none, or none that reads all scenarios: the estimate as it is
 * @param features - of every scenario, each from its own answers
 */
export function withPooledScoreMap(
  estimate: ScenarioEstimate,
  maps: ScoreMaps | null | undefined,
  features: ReadonlyMap<string, AnswerFeatures>,
): ScenarioEstimate {
  if (!maps?.together) return estimate;
  const score = clamp(mappedScore(maps.together, pooledFeatures(features)), estimate.bounds);
  return { ...estimate, base: { ...estimate.base, "score-map": score } };
}
