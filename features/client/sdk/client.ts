import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { LATEST } from "../../../sdk/core/bundle/names.ts";
import { checkIdentity, fileBound } from "../../../sdk/bundles/read-file.ts";
import { parseManifest } from "../../../sdk/bundles/parse-manifest.ts";
import { AnchorEvalError, checkNames, invalidOption } from "../../../sdk/core/errors.ts";
import type { All } from "../../../sdk/estimate/door.ts";
import { atMost } from "../../../sdk/bundles/body.ts";
import { type JobRef, type JobStatus, parseAnswer, readResultLines } from "./batch.ts";
import type { BundleRef, CallOptions, PostToBundle } from "./call.ts";
import {
  pause,
  POLICY_OPTIONS,
  requestBytes,
  requestChunks,
  type RequestInput,
  type RequestPolicy,
} from "../../../sdk/bundles/request.ts";

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

/** Longest answer but one in lines: a batch of a hundred models with estimates of four hundred scenarios. @unit bytes */
const MOST_ANSWER_BYTES = 1 << 24;

/**
 * The calls of a Worker.
 * @param more - calls of features, each by that which sends a request to a bundle's address
 * @throws AnchorEvalError `invalid_option`
 */
export function connect<const More extends readonly ((post: PostToBundle) => object)[]>(
  options: ClientOptions,
  more: More,
) {
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
  const lines = <Line extends object>(url: string, input: RequestInput, call?: CallOptions, most?: number) =>
    readResultLines<Line>(requestChunks(url, input, policy(call)), url, most);
  const post: PostToBundle = (ref, path, body, call) => {
    const headers = { "content-type": "application/json" };
    return json(`${at(ref)}/${path}`, { method: "POST", headers, body: JSON.stringify(body) }, call);
  };
  const jobAt = (job: JobRef): string => `${at(job)}/estimates/jobs/${encodeURIComponent(job.id)}`;
  const status = (job: JobRef, call?: CallOptions): Promise<JobStatus> => json(jobAt(job), {}, call);
  const calls = {
    bundles: {
      list: async (call?: CallOptions) => (await json<{ benchmarks: BenchmarkSummary[] }>(base, {}, call)).benchmarks,
      benchmark: (name: string, call?: CallOptions) =>
        jsonOrNull<BenchmarkSummary>(`${base}/${encodeURIComponent(name)}`, {}, call),
      manifest: async (ref: BundleRef, call?: CallOptions): Promise<Manifest | null> => {
        const response = await requestBytes(at(ref), {}, policy(call), fileBound(at(ref), "manifest.json"));
        if (response === null) return null;
        const manifest = parseManifest(response.bytes);
        const { benchmark, version } = ref;
        checkIdentity(manifest, version === LATEST ? { benchmark } : ref, at(ref));
        return manifest;
      },
      anchors: <Result>(ref: BundleRef, form?: string, call?: CallOptions) =>
        json<Result>(`${at(ref)}/anchors${form === undefined ? "" : `?form=${encodeURIComponent(form)}`}`, {}, call),
    },
    estimate: <Result>(ref: BundleRef, request: object, call?: CallOptions) =>
      post<Result>(ref, "estimates", request, call),
    estimateBatch: async <Result>(ref: BundleRef, requests: readonly object[], call?: CallOptions) =>
      (await post<{ results: Result[] }>(ref, "estimates/batch", { models: requests }, call)).results,
    estimateLines: <Result extends object>(ref: BundleRef, requests: readonly object[], call?: CallOptions) =>
      lines<Result>(`${at(ref)}/estimates/batch`, requestLines(requests), call, requests.length),
    jobs: {
      submit: (ref: BundleRef, requests: readonly object[], call?: CallOptions) =>
        json<JobStatus>(`${at(ref)}/estimates/jobs`, requestLines(requests), call),
      status,
      wait: async (job: JobRef, call: CallOptions & { readonly interval?: number } = {}): Promise<JobStatus> => {
        for (;;) {
          const seen = await status(job, call);
          if (seen.state === "done") return seen;
          await pause(call.interval ?? 2000, jobAt(job), call.signal ?? options.signal);
        }
      },
      results: <Result extends object>(job: JobRef, call?: CallOptions) =>
        lines<Result>(`${jobAt(job)}/results`, {}, call),
    },
    compare: <Result>(ref: BundleRef, request: object, call?: CallOptions) =>
      post<Result>(ref, "comparisons", request, call),
    check: <Result>(ref: BundleRef, request: object, call?: CallOptions) => post<Result>(ref, "checks", request, call),
    plan: <Result>(ref: BundleRef, request: object = {}, call?: CallOptions): Promise<Result> => {
      const query = new URLSearchParams(Object.entries(request).map(([name, value]) => [name, String(value)]));
      return json(`${at(ref)}/plan${query.size > 0 ? `?${query}` : ""}`, {}, call);
    },
  };
  return Object.assign(calls, ...more.map((callsOf) => callsOf(post))) as typeof calls & All<ReturnType<More[number]>>;
}

/** A request of one model a line. */
function requestLines(requests: readonly object[]): RequestInput {
  return {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: requests.map((request) => `${JSON.stringify(request)}\n`).join(""),
  };
}
