import type { AnchorRecord, Manifest } from "../core/bundle/manifest.ts";
import { LATEST } from "../core/bundle/names.ts";
import { checkIdentity, fileBound } from "../bundles/read-file.ts";
import { parseManifest } from "../bundles/parse-manifest.ts";
import { AnchorEvalError, checkNames, invalidOption } from "../core/errors.ts";
import type { CheckOptions, CheckResult, ComparedModel, CompareOptions, Comparison } from "../../features/sdk.ts";
import type { EstimateOptions } from "../estimate/types.ts";
import type { AnyResponses, PlainResponses } from "../tables/item-trials.ts";
import { CALLS, type FeatureCalls } from "../../features/sdk-client.ts";
import type {
  AnswerOptions,
  AnyEstimate,
  MetricEstimate,
  PlainEstimate,
  RemarkOptions,
  RepeatedEstimate,
} from "../../features/sdk-estimate.ts";
import type { OtherPlan, OtherPlanRequest, PlanRequest, ServedPlan } from "../../features/sdk-plan.ts";
import { atMost } from "../bundles/body.ts";
import { type BatchLine, type BatchResult, type JobStatus, parseAnswer, readResultLines } from "./batch.ts";
import type { BundleRef, CallOptions, PostToBundle } from "./call.ts";
import {
  pause,
  POLICY_OPTIONS,
  requestBytes,
  requestChunks,
  type RequestInput,
  type RequestPolicy,
} from "../bundles/request.ts";

export interface ClientOptions extends RequestPolicy {
  /** Where the Worker is, for example `https://evals.example.com`. */
  readonly baseUrl: string;
}

/** A published benchmark with its versions. */
export interface BenchmarkSummary {
  readonly benchmark: string;
  readonly latest: string | null;
  /** Ascending, without the yanked ones. */
  readonly versions: readonly { readonly version: string; readonly digest: string }[];
  /** Versions that were taken back, and why; they still answer by their number. */
  readonly yanked: readonly {
    readonly version: string;
    readonly digest: string;
    readonly reason?: string | undefined;
  }[];
  /** How many lines its log of publications had with these versions, and the digest of the last. */
  readonly log?: { readonly entries: number; readonly head: string } | undefined;
}

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

/** A job, by what its submission answered. */
type JobRef = BundleRef & Pick<JobStatus, "id">;

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

/** Longest answer but one in lines: a batch of a hundred models with estimates of four hundred scenarios. @unit bytes */
const MOST_ANSWER_BYTES = 1 << 24;

/**
 * A client of the Worker's HTTP interface, with time-outs, retries and aborts.
 * @example
 * const client = createClient({ baseUrl: "https://evals.example.com" });
 * const { score } = await client.estimate({ benchmark: "helm-lite", version: "1.0.0" }, { responses });
 */
export function createClient(options: ClientOptions): Client {
  checkNames(options, { baseUrl: true, ...POLICY_OPTIONS });
  if (typeof (options.baseUrl as unknown) !== "string") throw invalidOption("baseUrl is needed");
  const base = `${options.baseUrl.replace(/\/+$/, "")}/v1/bundles`;
  const at = ({ benchmark, version }: BundleRef): string =>
    `${base}/${encodeURIComponent(benchmark)}/${encodeURIComponent(version)}`;
  const policy = ({ signal }: CallOptions = {}): RequestPolicy => (signal ? { ...options, signal } : options);
  const bytes = (url: string, input: RequestInput, call?: CallOptions) =>
    requestBytes(url, input, policy(call), atMost(MOST_ANSWER_BYTES, `${url}: the answer`));
  const json = async <T>(url: string, input: RequestInput, call?: CallOptions): Promise<T> => {
    const answer = await jsonOrNull<T>(url, input, call);
    if (answer === null) throw new AnchorEvalError("not_found", `${url}: nothing is published there`);
    return answer;
  };
  const jsonOrNull = async <T>(url: string, input: RequestInput, call?: CallOptions): Promise<T | null> => {
    const response = await bytes(url, input, call);
    return response && (parseAnswer(new TextDecoder().decode(response.bytes), `${url}: the answer`) as T);
  };
  const lines = <Line>(url: string, input: RequestInput, call?: CallOptions, most?: number) =>
    readResultLines<Line>(requestChunks(url, input, policy(call)), url, most);
  const post: PostToBundle = (ref, path, body, call) => {
    const headers = { "content-type": "application/json" };
    return json(`${at(ref)}/${path}`, { method: "POST", headers, body: JSON.stringify(body) }, call);
  };
  const jobAt = (job: JobRef): string => `${at(job)}/estimates/jobs/${encodeURIComponent(job.id)}`;
  const status = (job: JobRef, call?: CallOptions): Promise<JobStatus> => json(jobAt(job), {}, call);
  return {
    bundles: {
      list: async (call) => (await json<{ benchmarks: BenchmarkSummary[] }>(base, {}, call)).benchmarks,
      benchmark: (name, call) => jsonOrNull(`${base}/${encodeURIComponent(name)}`, {}, call),
      manifest: async (ref, call) => {
        const response = await requestBytes(at(ref), {}, policy(call), fileBound(at(ref), "manifest.json"));
        if (response === null) return null;
        const manifest = parseManifest(response.bytes);
        const { benchmark, version } = ref;
        checkIdentity(manifest, version === LATEST ? { benchmark } : ref, at(ref));
        return manifest;
      },
      anchors: (ref, form, call) =>
        json(`${at(ref)}/anchors${form === undefined ? "" : `?form=${encodeURIComponent(form)}`}`, {}, call),
    },
    estimate: <Result>(ref: BundleRef, request: object, call?: CallOptions) =>
      post<Result>(ref, "estimates", request, call),
    estimateBatch: async <Result>(ref: BundleRef, requests: readonly object[], call?: CallOptions) =>
      (await post<{ results: Result[] }>(ref, "estimates/batch", { models: requests }, call)).results,
    estimateLines: <Result>(ref: BundleRef, requests: readonly object[], call?: CallOptions) =>
      lines<Result>(`${at(ref)}/estimates/batch`, requestLines(requests), call, requests.length),
    jobs: {
      submit: (ref, requests, call) => json(`${at(ref)}/estimates/jobs`, requestLines(requests), call),
      status,
      wait: async (job, call = {}) => {
        for (;;) {
          const seen = await status(job, call);
          if (seen.state === "done") return seen;
          await pause(call.interval ?? 2000, jobAt(job), call.signal ?? options.signal);
        }
      },
      results: (job, call) => lines(`${jobAt(job)}/results`, {}, call),
    },
    compare: (ref, request, call) => post(ref, "comparisons", request, call),
    check: (ref, request, call) => post(ref, "checks", request, call),
    plan: <Result>(ref: BundleRef, request: object = {}, call?: CallOptions): Promise<Result> => {
      const query = new URLSearchParams(Object.entries(request).map(([name, value]) => [name, String(value)]));
      return json(`${at(ref)}/plan${query.size > 0 ? `?${query}` : ""}`, {}, call);
    },
    ...(Object.assign({}, ...CALLS.map((calls) => calls(post))) as FeatureCalls),
  };
}

/** A request of one model a line. */
function requestLines(requests: readonly object[]): RequestInput {
  return {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: requests.map((request) => `${JSON.stringify(request)}\n`).join(""),
  };
}
