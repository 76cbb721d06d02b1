/**
 * Pure functions: response models, abilities, estimators, intervals, random streams. No input or output, no clock.
 * @module anchoreval/core
 */
export { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "./errors.ts";
export * from "./irt/index.ts";

export { addGram, cholesky, choleskyInverse, choleskySolve } from "./numeric/dense.ts";
export { normalCdf, normalQuantile, studentTQuantile } from "./numeric/distributions.ts";
export { applyMonotoneMap, softplus, type MonotoneMap } from "./numeric/functions.ts";
export { createRandom, type RandomSource, type StreamName } from "./numeric/random.ts";
export { inclusionProbabilities, pivotalSample } from "./numeric/sampling.ts";

export { answeredSample, clamp, knownBounds, LEAST_ANSWERED_SHARE, type Bounds } from "./estimators/answered-sample.ts";
export {
  answerRegressions,
  linearScore,
  type AnswerRegressions,
  type LinearScore,
} from "./estimators/answer-regressions.ts";
export {
  blendEstimates,
  partlyCorrectedMean,
  type BlendedEstimates,
  type Outside,
} from "./estimators/blend-estimates.ts";
export { anchorFactors } from "./estimators/factor-scores.ts";
export { anchorMean, correctedMean, modelImputedMean } from "./estimators/predicted-means.ts";
export {
  jointFeatures,
  MAP_FEATURES,
  mappedScore,
  type AdditiveMap,
  type AnswerFeatures,
  type FeatureName,
  type MapFeature,
  type MapTerm,
  type ScoreMaps,
} from "./estimators/score-maps.ts";
export {
  ALL_ESTIMATORS,
  BASE_ESTIMATORS,
  ESTIMATORS,
  estimatorsOf,
  figureOf,
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

export { bankAbility, gatherItems, type AnsweredPart, type BankAnswers } from "./scoring/bank-ability.ts";
export { expectedScore, predictedScores, predictedScoresOf } from "./scoring/predicted-scores.ts";
export {
  answerFeatures,
  answerLeverages,
  estimateScenario,
  type ScenarioAnswers,
  type ScenarioEstimate,
  type ScenarioModel,
} from "./scoring/scenario-estimate.ts";
export {
  POOLINGS,
  scoringModel,
  type ModelEstimate,
  type Pooling,
  type ScoringBank,
  type ScoringModel,
  type ScoringScenario,
} from "./scoring/scoring-model.ts";

export {
  midPMcNemar,
  oneSidedConfidence,
  pairedInterval,
  type PairedSampling,
  type SampledDifference,
} from "./inference/paired-difference.ts";
export { rankIntervals, scoreRange, type RankInterval, type ScoreRange } from "./inference/ranks.ts";
export {
  bernoulliVariance,
  gatedSampling,
  samplingVariance,
  type KnownVariance,
  type SamplingVariance,
} from "./inference/sampling-variance.ts";
export {
  designInterval,
  inflated,
  weightedScore,
  wilsonInterval,
  type SampledScore,
} from "./inference/score-interval.ts";

export {
  answerPattern,
  FALSE_ALARMS,
  SUSPICIONS,
  suspicions,
  type AnswerPattern,
  type PatternThresholds,
  type Suspicion,
} from "./person-fit/answer-pattern.ts";
export { MeanSquares, type MeanSquareFit } from "./person-fit/statistics.ts";

export {
  linearPrediction,
  meanChance,
  pickModels,
  placeOnAxes,
  possibleChance,
  predictedParameters,
  predictiveVariance,
  safeLogit,
  scaledChance,
  type LinearModel,
  type PredictedParameters,
  type ScenarioRouting,
} from "./routing/predict-chances.ts";
export {
  TERM_KINDS,
  termHash,
  textCoordinates,
  textRow,
  tfidfRow,
  type SparseRow,
  type TextProjection,
} from "./routing/text-coordinates.ts";

export { batchProbabilities, type DrawnBatch } from "./adaptive/choose-items.ts";
export {
  predictAnswers,
  type AnswerPrediction,
  type AskedItems,
  type Population,
  type PopulationBank,
  type PopulationScenario,
} from "./adaptive/population.ts";
export type { AdaptiveState, ModelState, PendingBatch } from "./adaptive/state.ts";
export type { RunningSums } from "./adaptive/running-total.ts";
