import type { AbilityEstimate } from "../ability/types.ts";
import { anchorMean } from "../estimators/anchor-mean.ts";
import { answerRegressions, type AnswerRegressions } from "../estimators/answer-regressions.ts";
import { answeredSample } from "../estimators/answered-sample.ts";
import { correctedMean } from "../estimators/corrected-mean.ts";
import { factorScores } from "../estimators/factor-scores.ts";
import { gaussianMean } from "../estimators/gaussian-mean.ts";
import { knownBounds } from "../estimators/known-bounds.ts";
import { linearScore } from "../estimators/linear-score.ts";
import { modelImputedMean } from "../estimators/model-imputed-mean.ts";
import type { AnchorFactors, AnchorSet, AnsweredSample, BaseEstimatorId } from "../estimators/types.ts";
import type { ItemBank } from "../irt/types.ts";
import type { MonotoneMap } from "../numeric/monotone-map.ts";
import { answerLeverages } from "./answer-leverages.ts";
import { predictedScores } from "./predicted-scores.ts";

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
  /** Of the answered anchors, where they are known: models that answered the same ones share them. @default solved */
  readonly regressions?: AnswerRegressions;
}

export interface ScenarioEstimate {
  /** Every base estimator's score, in [0,1]; {@link blendEstimates} gives the others. */
  readonly base: Readonly<Record<BaseEstimatorId, number>>;
  readonly sample: AnsweredSample;
  /** What the answers alone prove about the full score. */
  readonly bounds: { readonly low: number; readonly high: number };
  /** Leave-one-out residuals of the answered anchors, in their order. */
  readonly residuals: Float64Array;
}

/**
 * The base estimators of one scenario from its answered anchors and the model's ability.
 * Scores are brought into the bounds that the answers prove; with all items answered each is exactly S.
 * @param scores - aligned with `model.anchors.items`; NaN = no answer
 * @param factors - û of the model, where answers of other scenarios count too ({@link factorScores})
 * @returns null where nothing was answered
 */
export function estimateScenario(
  model: ScenarioModel,
  scores: ArrayLike<number>,
  ability: AbilityEstimate,
  factors: Float64Array = factorScores([{ factors: model.factors, scores }]),
): ScenarioEstimate | null {
  const sample = answeredSample(model.anchors, scores);
  if (sample === null) return null;
  const predicted = predictedScores(ability.theta, model.bank, model.scoreMap);
  const state = { weights: model.weights, predicted, sample };
  const regressions = model.regressions ?? answerRegressions(model.answerFactors, model.weights, sample);
  const bounds = knownBounds(model.weights, sample);
  const within = (score: number): number => Math.min(bounds.high, Math.max(bounds.low, score));
  return {
    base: {
      "anchor-mean": within(anchorMean(sample)),
      "p-irt": within(modelImputedMean(state)),
      "p-irt-dr": within(correctedMean(state)),
      gaussian: within(gaussianMean(model.factors, model.weights, sample, factors)),
      "ridge-gap": within(linearScore(regressions.ridgeGap, sample.scores)),
      aipw: within(linearScore(regressions.aipw, sample.scores)),
    },
    sample,
    bounds,
    residuals: leaveOneOutResiduals(model.bank, ability, predicted, sample),
  };
}

/** Residuals y − p̂ as if each answer had not moved the ability: (y−p̂)/(1−h), h its leverage. */
function leaveOneOutResiduals(
  bank: ItemBank,
  { theta, covariance }: AbilityEstimate,
  predicted: Float64Array,
  { items, scores }: AnsweredSample,
): Float64Array {
  return answerLeverages(bank, theta, covariance, items).map(
    (leverage, j) => (scores[j]! - predicted[items[j]!]!) / (1 - leverage),
  );
}
