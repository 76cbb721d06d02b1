/**
 * Pure functions: response models, abilities, estimators, intervals, random streams. No input or output, no clock.
 * @module anchoreval/core
 */
export { chooseInformative } from "./adaptive/choose-items.ts";
export { batchProbabilities, type DrawnBatch } from "./adaptive/choose-items.ts";
export { drawNext, emptyState } from "./adaptive/state.ts";
export type { AskedItems, Population, PopulationBank, PopulationScenario } from "./adaptive/population.ts";
export { populationAbilities, predictAnswers, type AnswerPrediction } from "./adaptive/population.ts";
export { askedItems, type AdaptiveState, type ModelState, type PendingBatch } from "./adaptive/state.ts";
export { stateDifference, stateScore } from "./adaptive/state-scores.ts";
export { takeAnswers } from "./adaptive/state.ts";
export { eapAbility, type EapOptions } from "./ability/eap.ts";
export { higherOrderAbilities, type AbilityBlock } from "./ability/higher-order.ts";
export { mapAbility } from "./ability/map.ts";
export { higherOrderPrior, scaledPrior } from "./ability/prior.ts";
export type { AbilityEstimate, AbilityPrior, HigherOrderPrior, ScoredItems } from "./ability/types.ts";
export { meanChance, possibleChance, safeLogit, scaledChance } from "./routing/predict-chances.ts";
export { linearPrediction, predictiveVariance, type LinearModel } from "./routing/predict-chances.ts";
export { pickModels } from "./routing/predict-chances.ts";
export {
  modelChances,
  placeOnAxes,
  predictedParameters,
  type PredictedParameters,
  type ScenarioRouting,
} from "./routing/predict-chances.ts";
export { TERM_KINDS, termHash, textCoordinates, textRow, type TextProjection } from "./routing/text-coordinates.ts";
export { characterTerms, wordTerms } from "./routing/text-coordinates.ts";
export { type SparseRow, tfidfRow } from "./routing/text-coordinates.ts";
export { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "./errors.ts";
export {
  type BlendedEstimates,
  blendEstimates,
  type Outside,
  partlyCorrectedMean,
} from "./estimators/blend-estimates.ts";
export { answerLeverages } from "./estimate/answer-leverages.ts";
export { EVIDENCE, type Evidence } from "./estimate/evidence.ts";
export { type AnsweredPart, gatherItems } from "./estimate/gather-items.ts";
export { expectedScore, predictedScores, predictedScoresOf } from "./estimate/predicted-scores.ts";
export { bankAbilities, bankAbility, type BankAnswers, type LinkedAnswers } from "./estimate/bank-abilities.ts";
export {
  answerFeatures,
  brought,
  estimateScenario,
  scenarioAnswers,
  type ScenarioAnswers,
  type ScenarioEstimate,
  type ScenarioModel,
} from "./estimate/scenario-estimate.ts";
export { withJointScoreMap } from "./estimate/joint-score-map.ts";
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
} from "./estimators/additive-map.ts";
export { anchorFactors } from "./estimators/anchor-factors.ts";
export { anchorMean } from "./estimators/anchor-mean.ts";
export { answeredSample } from "./estimators/answered-sample.ts";
export { answerRegressions, type AnswerRegressions } from "./estimators/answer-regressions.ts";
export { blendedMean } from "./estimators/blended-mean.ts";
export { correctedMean } from "./estimators/corrected-mean.ts";
export { LEAST_ANSWERED_SHARE } from "./estimators/answered-sample.ts";
export { factorScores, type FactoredAnswers } from "./estimators/factor-scores.ts";
export { factorSolver, type FactorSolver } from "./estimators/factor-solver.ts";
export { estimatorsOf, figureOf } from "./estimators/figure-of.ts";
export { gaussianMean } from "./estimators/gaussian-mean.ts";
export { knownBounds } from "./estimators/known-bounds.ts";
export { linearScore, type LinearScore } from "./estimators/linear-score.ts";
export { modelImputedMean } from "./estimators/model-imputed-mean.ts";
export type { NewtonOptions } from "./numeric/optimise.ts";
export { outsideProbability } from "./estimators/outside-probability.ts";
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
export { designInterval, inflated, weightedScore, type SampledScore } from "./inference/score-interval.ts";
export { addDiscordances, discordance, type Discordance } from "./inference/paired-difference.ts";
export { moreItems, type VariancePart } from "./inference/score-interval.ts";
export { looksLevel, MOST_LOOKS } from "./inference/looks-level.ts";
export { midPMcNemar } from "./inference/paired-difference.ts";
export {
  oneSidedConfidence,
  pairedInterval,
  weightedDifference,
  type SampledDifference,
} from "./inference/paired-difference.ts";
export {
  NO_PAIRED_SAMPLING,
  pairedSampling,
  type PairedAnswers,
  type PairedSampling,
} from "./inference/paired-difference.ts";
export { rankIntervals, type RankInterval } from "./inference/ranks.ts";
export { rankedGap } from "./inference/ranks.ts";
export { gatedSampling } from "./inference/sampling-variance.ts";
export {
  bernoulliVariance,
  NO_SAMPLING,
  samplingVariance,
  type SamplingVariance,
} from "./inference/sampling-variance.ts";
export { percentile, scoreRange, type ScoreRange } from "./inference/ranks.ts";
export { wilsonInterval } from "./inference/score-interval.ts";
export { itemInformation, logitInformation, testInformation } from "./irt/response.ts";
export { itemLogit, itemLogits, itemResponse, itemResponses } from "./irt/response.ts";
export { responseDerivatives, type ResponseDerivatives } from "./irt/response.ts";
export { logisticAnswers } from "./irt/response.ts";
export * from "./irt/parameterization.ts";
export type { FloatArray, ItemBank } from "./irt/item-bank.ts";
export { addGram } from "./numeric/dense.ts";
export { cholesky, choleskyInverse, choleskySolve } from "./numeric/dense.ts";
export { logSumExp } from "./numeric/log-sum-exp.ts";
export { answerPattern, type AnswerPattern } from "./person-fit/answer-pattern.ts";
export { brokenRun } from "./person-fit/statistics.ts";
export { lzStar } from "./person-fit/statistics.ts";
export { MeanSquares, type MeanSquareFit } from "./person-fit/statistics.ts";
export { preknowledge } from "./person-fit/statistics.ts";
export {
  FALSE_ALARMS,
  SUSPICIONS,
  suspicions,
  type PatternThresholds,
  type Suspicion,
} from "./person-fit/answer-pattern.ts";
export { applyMonotoneMap, type MonotoneMap } from "./numeric/functions.ts";
export { normalCdf, normalQuantile } from "./numeric/distributions.ts";
export { createRandom, type RandomSource, type StreamName } from "./numeric/random.ts";
export { logit, sigmoid, softplus } from "./numeric/functions.ts";
export { sigmoids } from "./numeric/functions.ts";
export { studentTCdf, studentTQuantile } from "./numeric/distributions.ts";
export { inclusionProbabilities } from "./numeric/sampling.ts";
export { pivotalSample } from "./numeric/sampling.ts";
export type { KnownVariance } from "./inference/sampling-variance.ts";
export type { RunningSums } from "./adaptive/running-total.ts";
export type { AnswerCurves } from "./person-fit/statistics.ts";
