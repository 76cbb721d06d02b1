/**
 * Pure functions: response models, abilities, estimators, intervals, random streams. No input or output, no clock.
 * @module anchoreval/core
 */
export { chooseInformative } from "./adaptive/choose-informative.ts";
export { batchProbabilities, type DrawnBatch } from "./adaptive/draw-batch.ts";
export { drawNext, emptyState } from "./adaptive/draw-next.ts";
export type { AskedItems, Population, PopulationBank, PopulationScenario } from "./adaptive/population.ts";
export { populationAbilities, predictAnswers, type AnswerPrediction } from "./adaptive/predict-answers.ts";
export { askedItems, type AdaptiveState, type ModelState, type PendingBatch } from "./adaptive/state.ts";
export { stateDifference, stateScore } from "./adaptive/state-scores.ts";
export { takeAnswers } from "./adaptive/take-answers.ts";
export { eapAbility, type EapOptions } from "./ability/eap.ts";
export { higherOrderAbilities, type AbilityBlock } from "./ability/higher-order.ts";
export { mapAbility } from "./ability/map.ts";
export { higherOrderPrior, scaledPrior } from "./ability/prior.ts";
export type { AbilityEstimate, AbilityPrior, HigherOrderPrior, ScoredItems } from "./ability/types.ts";
export { meanChance, possibleChance, safeLogit, scaledChance } from "./cold-start/chance.ts";
export { linearPrediction, predictiveVariance, type LinearModel } from "./cold-start/linear-prediction.ts";
export { pickModels } from "./cold-start/pick-models.ts";
export {
  modelChances,
  placeOnAxes,
  predictedParameters,
  type PredictedParameters,
  type ScenarioRouting,
} from "./cold-start/scenario-routing.ts";
export { TERM_KINDS, termHash, textCoordinates, textRow, type TextProjection } from "./cold-start/text-coordinates.ts";
export { characterTerms, wordTerms } from "./cold-start/text-terms.ts";
export { type SparseRow, tfidfRow } from "./cold-start/tfidf-row.ts";
export { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "./errors.ts";
export {
  type BlendedEstimates,
  blendEstimates,
  type Outside,
  partlyCorrectedMean,
} from "./estimators/blend-estimates.ts";
export { answerLeverages } from "./scoring/scenario-estimate.ts";
export {
  POOLINGS,
  scoringModel,
  type ModelEstimate,
  type Pooling,
  type ScoringBank,
  type ScoringModel,
  type ScoringScenario,
} from "./scoring/scoring-model.ts";
export { type AnsweredPart, gatherItems } from "./scoring/bank-ability.ts";
export { expectedScore, predictedScores, predictedScoresOf } from "./scoring/predicted-scores.ts";
export { bankAbilities, bankAbility, type BankAnswers, type LinkedAnswers } from "./scoring/bank-ability.ts";
export {
  answerFeatures,
  brought,
  estimateScenario,
  scenarioAnswers,
  type ScenarioAnswers,
  type ScenarioEstimate,
  type ScenarioModel,
} from "./scoring/scenario-estimate.ts";
export { withJointScoreMap } from "./scoring/scenario-estimate.ts";
export {
  jointFeatures,
  MAP_FEATURES,
  mappedScore,
  termValue,
  type AdditiveMap,
  type AnswerFeatures,
  type FeatureName,
  type MapFeature,
  type MapTerm,
  type ScoreMaps,
} from "./estimators/score-maps.ts";
export { anchorFactors } from "./estimators/factor-scores.ts";
export { anchorMean } from "./estimators/predicted-means.ts";
export { answeredSample } from "./estimators/answered-sample.ts";
export { answerRegressions, type AnswerRegressions } from "./estimators/answer-regressions.ts";
export { blendedMean } from "./estimators/predicted-means.ts";
export { correctedMean } from "./estimators/predicted-means.ts";
export { LEAST_ANSWERED_SHARE } from "./estimators/answered-sample.ts";
export { factorScores, type FactoredAnswers } from "./estimators/factor-scores.ts";
export { factorSolver, type FactorSolver } from "./estimators/factor-scores.ts";
export { estimatorsOf, figureOf } from "./estimators/types.ts";
export { gaussianMean } from "./estimators/factor-scores.ts";
export { knownBounds } from "./estimators/answered-sample.ts";
export { linearScore, type LinearScore } from "./estimators/answer-regressions.ts";
export { modelImputedMean } from "./estimators/predicted-means.ts";
export type { NewtonOptions } from "./numeric/damped-newton.ts";
export { outsideProbability } from "./estimators/blend-estimates.ts";
export {
  ALL_ESTIMATORS,
  BASE_ESTIMATORS,
  ESTIMATORS,
  type AnchorFactors,
  type AnchorSet,
  type AnsweredSample,
  type BaseEstimatorId,
  type BaseScores,
  type Blend,
  type ByEstimator,
  type EstimatorId,
  type ScenarioState,
  type SeenModels,
  type Tightening,
  type SeenScores,
} from "./estimators/types.ts";
export { designInterval, inflated, weightedScore, type SampledScore } from "./inference/design-interval.ts";
export { addDiscordances, discordance, type Discordance } from "./inference/discordance.ts";
export { moreItems, type VariancePart } from "./inference/items-needed.ts";
export { looksLevel, MOST_LOOKS } from "./inference/looks-level.ts";
export { midPMcNemar } from "./inference/mcnemar.ts";
export {
  oneSidedConfidence,
  pairedInterval,
  weightedDifference,
  type SampledDifference,
} from "./inference/paired-interval.ts";
export {
  NO_PAIRED_SAMPLING,
  pairedSampling,
  type PairedAnswers,
  type PairedSampling,
} from "./inference/paired-sampling.ts";
export { rankIntervals, type RankInterval } from "./inference/rank-intervals.ts";
export { rankedGap } from "./inference/ranked-gap.ts";
export { gatedSampling } from "./inference/gated-sampling.ts";
export {
  bernoulliVariance,
  NO_SAMPLING,
  samplingVariance,
  type SamplingVariance,
} from "./inference/sampling-variance.ts";
export { percentile, scoreRange, type ScoreRange } from "./inference/score-range.ts";
export { wilsonInterval } from "./inference/wilson-interval.ts";
export { itemInformation, logitInformation, testInformation } from "./irt/information.ts";
export { itemLogit, itemLogits, itemResponse, itemResponses } from "./irt/item-response.ts";
export { responseDerivatives, type ResponseDerivatives } from "./irt/likelihood.ts";
export { logisticAnswers } from "./irt/logistic-answers.ts";
export * from "./irt/parameterization.ts";
export type { FloatArray, ItemBank } from "./irt/types.ts";
export { addGram } from "./numeric/add-gram.ts";
export { cholesky, choleskyInverse, choleskySolve } from "./numeric/cholesky.ts";
export { logSumExp } from "./numeric/log-sum-exp.ts";
export { answerPattern, type AnswerPattern } from "./person-fit/answer-pattern.ts";
export { brokenRun } from "./person-fit/broken-run.ts";
export { lzStar } from "./person-fit/lz-star.ts";
export { MeanSquares, type MeanSquareFit } from "./person-fit/mean-squares.ts";
export { preknowledge } from "./person-fit/preknowledge.ts";
export {
  FALSE_ALARMS,
  SUSPICIONS,
  suspicions,
  type PatternThresholds,
  type Suspicion,
} from "./person-fit/suspicions.ts";
export { applyMonotoneMap, type MonotoneMap } from "./numeric/monotone-map.ts";
export { normalCdf, normalQuantile } from "./numeric/normal.ts";
export { createRandom, type RandomSource, type StreamName } from "./numeric/random.ts";
export { logit, sigmoid, softplus } from "./numeric/sigmoid.ts";
export { sigmoids } from "./numeric/sigmoids.ts";
export { studentTCdf, studentTQuantile } from "./numeric/student-t.ts";
export { inclusionProbabilities } from "./sampling/inclusion-probabilities.ts";
export { pivotalSample } from "./sampling/pivotal-sample.ts";
export type { KnownVariance } from "./inference/satterthwaite.ts";
export type { RunningSums } from "./adaptive/running-sums.ts";
export type { AnswerCurves } from "./person-fit/answer-curves.ts";
