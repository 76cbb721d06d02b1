import type { AbilityEstimate } from "../ability/map.ts";
import { anchorMean } from "../estimators/anchor-mean.ts";
import { mappedScore, type AnswerFeatures, type ScoreMaps } from "../estimators/additive-map.ts";
import { answerRegressions, type AnswerRegressions } from "../estimators/answer-regressions.ts";
import { answeredSample } from "../estimators/answered-sample.ts";
import { correctedMean } from "../estimators/corrected-mean.ts";
import { factorSolver, type FactorSolver } from "../estimators/factor-solver.ts";
import { gaussianMean } from "../estimators/gaussian-mean.ts";
import { knownBounds } from "../estimators/known-bounds.ts";
import { linearScore } from "../estimators/linear-score.ts";
import { modelImputedMean } from "../estimators/model-imputed-mean.ts";
import type { AnchorFactors, AnchorSet, AnsweredSample, BaseScores } from "../estimators/types.ts";
import type { ItemBank } from "../irt/item-bank.ts";
import type { MonotoneMap } from "../numeric/functions.ts";
import { answerLeverages } from "./answer-leverages.ts";
import { expectedScore, predictedScoresOf } from "./predicted-scores.ts";

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
  /** Of the anchors, where it is known: all models share it. @default solved */
  readonly factorSolver?: FactorSolver;
  /** Of the score map, where the form has one. */
  readonly maps?: ScoreMaps | null;
}

/** What a scenario's answers give, before estimators are blended. */
export interface ScenarioEstimate {
  /** Every base estimator's score, in [0,1]; {@link blendEstimates} gives the others. */
  readonly base: BaseScores;
  /** What score maps of all scenarios read of this one; null where the form has no map. */
  readonly features: AnswerFeatures | null;
  readonly sample: AnsweredSample;
  /** What the answers alone prove about the full score. */
  readonly bounds: { readonly low: number; readonly high: number };
  /** Leave-one-out residuals of the answered anchors, in their order. */
  readonly residuals: Float64Array;
}

/** What a scenario's answers say by themselves, whatever ability they are estimated with. */
export interface ScenarioAnswers {
  readonly sample: AnsweredSample;
  readonly bounds: ScenarioEstimate["bounds"];
  /** The estimators that know no ability, in [0,1]. */
  readonly base: Readonly<Record<"anchor-mean" | "ridge-gap" | "aipw", number>>;
}

/**
 * @param scores - aligned with `model.anchors.items`; NaN = no answer
 * @returns null where nothing was answered
 */
export function scenarioAnswers(model: ScenarioModel, scores: ArrayLike<number>): ScenarioAnswers | null {
  const sample = answeredSample(model.anchors, scores);
  if (sample === null) return null;
  const bounds = knownBounds(model.weights, sample);
  const regressions = model.regressions ?? answerRegressions(model.answerFactors, model.weights, sample);
  return {
    sample,
    bounds,
    base: {
      "anchor-mean": brought(anchorMean(sample), bounds),
      "ridge-gap": brought(linearScore(regressions.ridgeGap, sample.scores), bounds),
      aipw: brought(linearScore(regressions.aipw, sample.scores), bounds),
    },
  };
}

/** A score within what the answers prove. */
export function brought(score: number, { low, high }: ScenarioEstimate["bounds"]): number {
  return Math.min(high, Math.max(low, score));
}

/**
 * The base estimators of one scenario from its answered anchors and the model's ability.
 * Scores are brought into the bounds that the answers prove; with all items answered each is exactly S.
 * @param scores - aligned with `model.anchors.items`; NaN = no answer
 * @param factors - û of the model, where answers of other scenarios count too ({@link factorSolver})
 * @param answers - what the scores say by themselves, where it is known: other estimates from them share it
 * @returns null where nothing was answered
 */
export function estimateScenario(
  model: ScenarioModel,
  scores: ArrayLike<number>,
  ability: AbilityEstimate,
  factors: Float64Array = (model.factorSolver ?? factorSolver([model.factors]))([scores]),
  answers: ScenarioAnswers | null = scenarioAnswers(model, scores),
): ScenarioEstimate | null {
  if (answers === null) return null;
  const { sample, bounds } = answers;
  const { bank, weights, scoreMap } = model;
  const expected = expectedScore(ability.theta, bank, weights, scoreMap);
  const predicted = predictedScoresOf(sample.items, ability.theta, bank, scoreMap);
  const state = { weights, expected, predicted, sample };
  const features = model.maps ? answerFeatures(model.maps, answers.base["anchor-mean"], expected, bounds) : null;
  return {
    base: {
      "anchor-mean": answers.base["anchor-mean"],
      "p-irt": brought(modelImputedMean(state), bounds),
      "p-irt-dr": brought(correctedMean(state), bounds),
      gaussian: brought(gaussianMean(model.factors, weights, sample, factors), bounds),
      "ridge-gap": answers.base["ridge-gap"],
      aipw: answers.base.aipw,
      ...(features && { "score-map": features.score }),
    },
    features,
    sample,
    bounds,
    residuals: leaveOneOutResiduals(bank, ability, predicted, sample),
  };
}

/** What maps read of one scenario; its own map's score is brought into the bounds. */
export function answerFeatures(
  { alone }: Pick<ScoreMaps, "alone">,
  mean: number,
  expected: number,
  bounds: ScenarioEstimate["bounds"],
): AnswerFeatures {
  const own = { mean, expected, score: NaN };
  return {
    ...own,
    score: brought(
      mappedScore(alone, ({ feature }) => own[feature]),
      bounds,
    ),
  };
}

/** Residuals y − p̂ as if each answer had not moved the ability: (y−p̂)/(1−h), h its leverage. */
function leaveOneOutResiduals(
  bank: ItemBank,
  { theta, covariance }: AbilityEstimate,
  predicted: Float64Array,
  { items, scores }: AnsweredSample,
): Float64Array {
  const residuals = answerLeverages(bank, theta, covariance, items);
  for (let j = 0; j < items.length; j++) residuals[j] = (scores[j]! - predicted[j]!) / (1 - residuals[j]!);
  return residuals;
}
