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
