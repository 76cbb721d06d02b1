/**
 * Scores with intervals from answers to anchors, once or several times; comparisons, races, checks, gates, plans, prices,
 * adaptive evaluation; bundles from anywhere; the client of a Worker.
 * @module anchoreval
 */
export { compareFromAnchors } from "./compare/compare-from-anchors.ts";
export { rankFromAnchors } from "./compare/rank-from-anchors.ts";
export type {
  ComparedModel,
  CompareOptions,
  Comparison,
  Difference,
  RankedModel,
  Ranking,
  RankOptions,
  Verdict,
} from "./compare/types.ts";
export { raceFromPool, type Race, type RaceOptions } from "../features/adaptive/sdk/race.ts";
export type { RaceCandidate } from "../features/adaptive/sdk/race-answers.ts";
export { checkFromAnchors } from "./check/check-from-anchors.ts";
export { gateFromAnchors, type GateOptions, type GateResult } from "../features/gates/sdk/gate-from-anchors.ts";
export type { CheckOptions, CheckResult } from "./check/types.ts";
export type { BridgedScore } from "../features/versions/sdk.ts";
export { estimateFromAnchors } from "./estimate/estimate-from-anchors.ts";
export type {
  Estimate,
  EstimateOptions,
  EstimateWarning,
  Interval,
  ScenarioDetails,
  ScenarioResult,
  WarningCode,
} from "./estimate/types.ts";
export type { ItemTrials, Responses, TrialResponses } from "./tables/item-trials.ts";
export { planFromBundle } from "./plan/plan-from-bundle.ts";
export type { Plan, PlannedForm, PlanOptions, Precision } from "./plan/types.ts";
export {
  adaptiveEvaluation,
  localAdaptive,
  type AdaptiveEvaluation,
  type AdaptiveSource,
  type AdaptiveTurn,
} from "../features/adaptive/sdk/adaptive-evaluation.ts";
export { pricedPool, withinBudget } from "../features/adaptive/sdk/priced.ts";
export { loadAdaptive } from "../features/adaptive/sdk/item-pool.ts";
export type {
  AdaptiveAnswers,
  AdaptiveItem,
  AdaptiveOptions,
  AdaptiveSession,
  NextItemsRequest,
  PlainResponses,
  StopRules,
} from "../features/adaptive/sdk/types.ts";
export { loadRouting, routeFromBundle } from "../features/routing/sdk/route-from-bundle.ts";
export type { BundleRouting, Route, Routes, RoutesRequest } from "../features/routing/sdk/types.ts";
export { loadBundle, type LoadOptions } from "./bundles/load-bundle.ts";
export { readBundleFile } from "./bundles/read-file.ts";
export { httpSource, r2Source, type R2BucketLike } from "./bundles/sources.ts";
export { trustedSource } from "./bundles/trusted-source.ts";
export type { BatchLine, BatchResult, JobStatus } from "./client/batch.ts";
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
  type TrialsRequest,
} from "./client/client.ts";
export type { RequestPolicy } from "./bundles/request.ts";
export type { ItemPrices } from "../features/prices/sdk/parse-prices.ts";
export type { AnswerCost } from "../features/prices/sdk/bundle-prices.ts";
export { estimate, type AnswerOptions, type AnyEstimate } from "./answers/estimate.ts";
export { estimatePassAtK, type PassEstimate } from "../features/trials/sdk/estimate-pass-at-k.ts";
export { estimateTrials, type TrialEstimate, type TrialIntervals } from "../features/trials/sdk/estimate-trials.ts";
export { planTrials, type TrialPlan } from "../features/trials/sdk/plan-trials.ts";
export { trustRoot } from "../features/trust/sdk/trust-root.ts";
export type { Bundle, BundleScenario, BundleSource } from "./core/bundle/bundle.ts";
export type { AnchorRecord, Manifest } from "./core/bundle/manifest.ts";
export { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "./core/errors.ts";
