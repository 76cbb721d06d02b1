/**
 * Scores with intervals from answers to anchors, once or several times; comparisons, races, checks, gates, plans, prices,
 * adaptive evaluation; bundles from anywhere; the client of a Worker.
 * @module anchoreval
 */
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
export type { ItemTrials, PlainResponses, Responses, Score, TrialResponses } from "./tables/item-trials.ts";
export { loadBundle, type LoadOptions } from "./bundles/load-bundle.ts";
export { readBundleFile } from "./bundles/read-file.ts";
export { httpSource, r2Source, type R2BucketLike } from "./bundles/sources.ts";
export { trustedSource } from "./bundles/trusted-source.ts";
export * from "../features/sdk-client.ts";
export type { RequestPolicy } from "./bundles/request.ts";
export { estimate, type AnswerOptions, type AnyEstimate } from "../features/sdk-estimate.ts";
export * from "../features/sdk.ts";
export type { Bundle, BundleScenario, BundleSource } from "./core/bundle/bundle.ts";
export type { AnchorRecord, Manifest } from "./core/bundle/manifest.ts";
export { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "./core/errors.ts";
