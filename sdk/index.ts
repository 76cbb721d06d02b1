/**
 * Scores with intervals from answers to anchors, comparisons, checks, plans, adaptive evaluation; bundles from anywhere; the client of a Worker.
 * @module anchoreval
 */
export { compareFromAnchors } from "./compare/compare-from-anchors.ts";
export { rankFromAnchors } from "./compare/rank-from-anchors.ts";
export type {
  ComparedModel,
  CompareOptions,
  Comparison,
  Difference,
  McNemar,
  ModelScore,
  RankedModel,
  Ranking,
  RankOptions,
  Verdict,
} from "./compare/types.ts";
export { checkFromAnchors } from "./check/check-from-anchors.ts";
export type { CheckOptions, CheckResult, CheckVerdict, DropCheck, MinimumCheck } from "./check/types.ts";
export { bridgedScore, type BridgedScore, type BridgedValue } from "./estimate/bridged-score.ts";
export { estimateFromAnchors } from "./estimate/estimate-from-anchors.ts";
export type {
  Estimate,
  EstimateOptions,
  EstimateWarning,
  Interval,
  Responses,
  ScenarioDetails,
  ScenarioPattern,
  ScenarioResult,
  WarningCode,
} from "./estimate/types.ts";
export { planFromBundle } from "./plan/plan-from-bundle.ts";
export type { Plan, PlanBasis, PlannedForm, PlanOptions, Precision } from "./plan/types.ts";
export {
  adaptiveEvaluation,
  localAdaptive,
  type AdaptiveEvaluation,
  type AdaptiveSource,
  type AdaptiveTurn,
} from "./adaptive/adaptive-evaluation.ts";
export { loadAdaptive } from "./adaptive/item-pool.ts";
export type {
  AdaptiveAnswers,
  AdaptiveGoal,
  AdaptiveInterval,
  AdaptiveItem,
  AdaptiveModel,
  AdaptiveOptions,
  AdaptivePair,
  AdaptiveScore,
  AdaptiveSession,
  AdaptiveStep,
  AdaptiveStop,
  NextItemsRequest,
  PlainResponses,
  StopRules,
} from "./adaptive/types.ts";
export { loadRouting, routeFromBundle } from "./route/route-from-bundle.ts";
export type { BundleRouting, Route, RoutedQuestion, RouteOptions, Routes, RoutesRequest } from "./route/types.ts";
export { loadBundle, type LoadOptions } from "./bundles/load-bundle.ts";
export { readBundleFile } from "./bundles/read-file.ts";
export { httpSource, r2Source, type R2BucketLike } from "./bundles/sources.ts";
export { trustedSource } from "./bundles/trusted-source.ts";
export type { BatchLine, BatchResult, JobStatus, Unscored } from "./client/batch.ts";
export {
  createClient,
  type BenchmarkSummary,
  type BundleRef,
  type CallOptions,
  type CheckRequest,
  type Client,
  type ClientOptions,
  type ComparisonRequest,
  type ComparisonSide,
  type EstimateRequest,
  type JobRef,
} from "./client/client.ts";
export type { RequestPolicy } from "./client/request.ts";
export { trustRoot } from "./trust/trust-root.ts";
export type { Bundle, BundleScenario, BundleSource } from "./core/bundle/bundle.ts";
export type { AnchorRecord, Manifest } from "./core/bundle/manifest.ts";
export type { ByEstimator } from "./core/estimators/types.ts";
export type { ScoreRange } from "./core/inference/ranks.ts";
export { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "./core/errors.ts";
