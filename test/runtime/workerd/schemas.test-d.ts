/**
 * The schemas of the HTTP interface and the interfaces of the SDK are the same types. `tsc -b` is the test.
 */
import type { z } from "zod";
import type {
  AdaptiveTurn,
  AnyEstimate,
  BatchLine,
  BatchResult,
  BenchmarkSummary,
  CheckRequest,
  CheckResult,
  Client,
  Comparison,
  ComparisonRequest,
  Estimate,
  Issue,
  JobStatus,
  JudgedEstimate,
  Manifest,
  NextItemsRequest,
  Routes,
  RoutesRequest,
  TrialPlan,
  TrialsRequest,
} from "anchoreval";
import type { PlanRequest, ServedPlan } from "anchoreval/internal/features/sdk-plan";
import type { TrialPlanOptions } from "anchoreval/internal/features/trials/sdk/plan-trials";
import type { AnchorsSchema, BenchmarkListSchema, BenchmarkSchema } from "../../../workers/src/routes/bundles.ts";
import type {
  BatchLineSchema,
  BatchRequestSchema,
  BatchResponseSchema,
  EstimateRequestSchema,
} from "../../../workers/src/routes/estimates.ts";

import type {
  CheckRequestSchema,
  CheckSchema,
  ComparisonRequestSchema,
  ComparisonSchema,
} from "../../../features/compare/http.ts";
import type { AdaptiveTurnSchema, NextItemsRequestSchema } from "../../../features/adaptive/http/next-items.ts";
import type { TrialPlanSchema } from "../../../features/trials/http.ts";
import type { PlanQuery, PlanSchema } from "../../../workers/src/routes/plan.ts";
import type { AnyEstimateSchema } from "../../../workers/src/routes/batch.ts";
import type { EstimateSchema } from "../../../workers/src/schemas/estimate.ts";
import type { JudgedEstimateSchema } from "../../../features/judge/http.ts";
import type { JobStatusSchema } from "../../../features/jobs/http/routes.ts";
import type { ManifestSchema } from "../../../workers/src/schemas/manifest.ts";
import type { RoutesRequestSchema, RoutesSchema } from "../../../features/routing/http.ts";
import type { IssueSchema } from "../../../workers/src/schemas/contract.ts";

/** `readonly` doesn't travel in JSON. */
type Plain<T> = T extends object ? { -readonly [K in keyof T]: Plain<T[K]> } : T;
/** The same to the compiler, which tells an optional field from none. */
/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters */
type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;
/* eslint-enable @typescript-eslint/no-unnecessary-type-parameters */
/** Each may stand for the other: the SDK has three kinds of estimates, and the document an optional field. */
type Alike<A, B> = [Plain<A>, Plain<B>] extends [Plain<B>, Plain<A>] ? true : false;
type Anchors = Awaited<ReturnType<Client["bundles"]["anchors"]>>;

export const agreement: [
  Same<z.infer<typeof EstimateSchema>, Estimate>,
  Same<z.infer<typeof EstimateRequestSchema>, TrialsRequest>,
  Same<z.infer<typeof BatchRequestSchema>["models"][number], TrialsRequest & { model: string }>,
  Alike<z.infer<typeof AnyEstimateSchema>, AnyEstimate>,
  Alike<z.infer<typeof BatchResponseSchema>["results"][number], BatchResult<AnyEstimate>>,
  Alike<z.infer<typeof BatchLineSchema>, BatchLine<AnyEstimate>>,
  Same<z.infer<typeof JobStatusSchema>, JobStatus>,
  Same<z.infer<typeof JudgedEstimateSchema>, JudgedEstimate>,
  Same<z.infer<typeof ComparisonRequestSchema>, ComparisonRequest>,
  Same<z.infer<typeof ComparisonSchema>, Comparison>,
  Same<z.infer<typeof CheckRequestSchema>, CheckRequest>,
  Same<z.infer<typeof CheckSchema>, CheckResult>,
  Same<z.infer<typeof PlanQuery>, PlanRequest & Partial<Pick<TrialPlanOptions, "trials">>>,
  Alike<z.infer<typeof PlanSchema>, ServedPlan>,
  Same<z.infer<typeof TrialPlanSchema>, TrialPlan>,
  Same<z.infer<typeof BenchmarkSchema>, BenchmarkSummary>,
  Same<z.infer<typeof BenchmarkListSchema>["benchmarks"][number], BenchmarkSummary>,
  Same<z.infer<typeof AnchorsSchema>, Anchors>,
  Same<z.infer<typeof ManifestSchema>, Manifest>,
  Same<z.infer<typeof IssueSchema>, Issue>,
  Same<z.infer<typeof RoutesRequestSchema>, RoutesRequest>,
  Same<z.infer<typeof RoutesSchema>, Routes>,
  Same<z.infer<typeof NextItemsRequestSchema>, NextItemsRequest>,
  Same<z.infer<typeof AdaptiveTurnSchema>, AdaptiveTurn>,
] = [
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
];
