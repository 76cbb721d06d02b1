import type { Issue } from "../sdk/core/errors.ts";
import type { AnchorRecord, Manifest } from "../sdk/core/bundle/manifest.ts";
import type { All } from "../sdk/estimate/door.ts";
import type { EstimateOptions } from "../sdk/estimate/types.ts";
import type { AnyResponses, PlainResponses } from "../sdk/tables/item-trials.ts";
import { adaptiveCalls } from "./adaptive/sdk/client-calls.ts";
import type { JobRef, JobStatus } from "./client/sdk/batch.ts";
import type { BundleRef, CallOptions } from "./client/sdk/call.ts";
import { type BenchmarkSummary, type ClientOptions, connect } from "./client/sdk/client.ts";
import { routeCalls } from "./routing/sdk/client-calls.ts";
import type {
  AnswerOptions,
  AnyEstimate,
  MetricEstimate,
  PlainEstimate,
  RemarkOptions,
  RepeatedEstimate,
} from "./sdk-estimate.ts";
import type { OtherPlan, OtherPlanRequest, PlanRequest, ServedPlan } from "./sdk-plan.ts";
import type { CheckOptions, CheckResult, ComparedModel, CompareOptions, Comparison } from "./sdk.ts";

export type { BenchmarkSummary, BundleRef, CallOptions, ClientOptions, JobStatus };

/** The features' calls of a Worker. */
const CALLS = [adaptiveCalls, routeCalls] as const;

type FeatureCalls = All<ReturnType<(typeof CALLS)[number]>>;

/** Why there is no estimate. */
interface Unscored {
  readonly problem: { readonly code: string; readonly detail: string; readonly issues: readonly Issue[] };
}

/** One model of a batch: its estimate, or why there is none. */
export type BatchResult<Result = PlainEstimate> =
  { readonly model: string; readonly estimate: Result } | ({ readonly model: string } & Unscored);

/** A line of results: a model's place in the request, and its estimate or why there is none. */
export type BatchLine<Result = PlainEstimate> =
  | { readonly index: number; readonly model: string; readonly estimate: Result }
  | ({
      readonly index: number;
      /** null where the line of the request names none. */
      readonly model: string | null;
    } & Unscored);

/** The request for one model. */
export interface EstimateRequest extends Omit<EstimateOptions & RemarkOptions, "hashes" | "prices"> {
  readonly responses: PlainResponses;
  readonly hashes?: Readonly<Record<string, string>>;
}

/** The request for one model whose items were tried several times, or whose score is to be known over runs. */
export interface TrialsRequest extends Omit<AnswerOptions, "hashes" | "clusters" | "prices"> {
  /** Scores, or in place of a score the trials of an item. */
  readonly responses: Exclude<AnyResponses, ReadonlyMap<string, unknown>>;
  readonly hashes?: Readonly<Record<string, string>>;
  readonly clusters?: Readonly<Record<string, string>>;
}

/** Two models' answers; differences are S_B − S_A. */
export interface ComparisonRequest extends CompareOptions {
  readonly a: ComparisonSide;
  readonly b: ComparisonSide;
}

/** One model of a comparison, or one run of a check. */
export interface ComparisonSide
  extends Omit<ComparedModel, "responses" | "hashes">, Pick<TrialsRequest, "responses" | "hashes"> {}

/** One or several runs of a model, against earlier ones or a lowest score. */
export interface CheckRequest extends Omit<CheckOptions, "baselines"> {
  readonly current: readonly ComparisonSide[];
  readonly baselines?: readonly ComparisonSide[];
}

/** A Worker's interface, call by call. */
export interface Client extends FeatureCalls {
  readonly bundles: {
    list(options?: CallOptions): Promise<BenchmarkSummary[]>;
    /** One benchmark with its versions; null where there is none. */
    benchmark(name: string, options?: CallOptions): Promise<BenchmarkSummary | null>;
    /** A bundle's manifest; null where there is none. */
    manifest(ref: BundleRef, options?: CallOptions): Promise<Manifest | null>;
    /** The anchors of a form, in the order in which they are asked. */
    anchors(
      ref: BundleRef,
      form?: string,
      options?: CallOptions,
    ): Promise<{ form: string; digest: string; anchors: AnchorRecord[] }>;
  };
  /** The same numbers as `estimatePassAtK`. */
  estimate(
    ref: BundleRef,
    request: TrialsRequest & { readonly metric: string },
    options?: CallOptions,
  ): Promise<MetricEstimate>;
  /** The same numbers as `estimateFromAnchors`, computed by the Worker. */
  estimate(ref: BundleRef, request: EstimateRequest, options?: CallOptions): Promise<PlainEstimate>;
  /** The same numbers as `estimateTrials`. */
  estimate(ref: BundleRef, request: Omit<TrialsRequest, "metric">, options?: CallOptions): Promise<RepeatedEstimate>;
  /** Several models at once; one model's bad answers don't fail the others. */
  estimateBatch(
    ref: BundleRef,
    requests: readonly (EstimateRequest & { readonly model: string })[],
    options?: CallOptions,
  ): Promise<BatchResult[]>;
  /** The same of trials. */
  estimateBatch(
    ref: BundleRef,
    requests: readonly (TrialsRequest & { readonly model: string })[],
    options?: CallOptions,
  ): Promise<BatchResult<AnyEstimate>[]>;
  /**
   * Several models at once, each result as soon as it is there; one that can't be read isn't lost in silence.
   * @throws AnchorEvalError `truncated` where the answer ends too early, after the results that came
   * @example for await (const line of client.estimateLines(ref, requests)) if ("estimate" in line) keep(line);
   */
  estimateLines(
    ref: BundleRef,
    requests: readonly (EstimateRequest & { readonly model: string })[],
    options?: CallOptions,
  ): AsyncGenerator<BatchLine, void, undefined>;
  /** The same of trials. */
  estimateLines(
    ref: BundleRef,
    requests: readonly (TrialsRequest & { readonly model: string })[],
    options?: CallOptions,
  ): AsyncGenerator<BatchLine<AnyEstimate>, void, undefined>;
  /** Many models, estimated one part after another, where the Worker has a queue (else `not_implemented`). */
  readonly jobs: {
    /** Sends the models. What breaks off may be sent again: it is another job then. */
    submit(
      ref: BundleRef,
      requests: readonly (TrialsRequest & { readonly model: string })[],
      options?: CallOptions,
    ): Promise<JobStatus>;
    /** How far it is. @throws AnchorEvalError `not_found`; `job_expired` a week after it was sent */
    status(job: JobRef, options?: CallOptions): Promise<JobStatus>;
    /** Asks until it is done. @param options - `interval` between two questions: 2000 milliseconds unless given */
    wait(job: JobRef, options?: CallOptions & { readonly interval?: number }): Promise<JobStatus>;
    /** The results of a job that is done, in the order of its models. @throws AnchorEvalError `job_running`, `truncated` */
    results(job: JobRef, options?: CallOptions): AsyncGenerator<BatchLine<AnyEstimate>, void, undefined>;
  };
  /** The same numbers as `compareFromAnchors`, computed by the Worker. */
  compare(ref: BundleRef, request: ComparisonRequest, options?: CallOptions): Promise<Comparison>;
  /** The same numbers as `checkFromAnchors`, computed by the Worker. */
  check(ref: BundleRef, request: CheckRequest, options?: CallOptions): Promise<CheckResult>;
  /** The same numbers as `planTrials`, computed by the Worker. */
  plan(ref: BundleRef, request: OtherPlanRequest, options?: CallOptions): Promise<OtherPlan>;
  /** The same numbers as `planFromBundle`; of a bundle that was fitted by prices, with its forms by price. */
  plan(ref: BundleRef, request?: PlanRequest, options?: CallOptions): Promise<ServedPlan>;
}

/**
 * A client of the Worker's HTTP interface, with time-outs, retries and aborts.
 * @example
 * const client = createClient({ baseUrl: "https://evals.example.com" });
 * const { score } = await client.estimate({ benchmark: "helm-lite", version: "1.0.0" }, { responses });
 */
export function createClient(options: ClientOptions): Client {
  return connect(options, CALLS);
}
