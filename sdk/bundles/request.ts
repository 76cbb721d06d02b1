import { AnchorEvalError, type AnchorEvalErrorCode, type Issue, type OptionNames } from "../core/errors.ts";
import { type Bound, readBody, readReason } from "./body.ts";

/** How requests are made; every part can be replaced. */
export interface RequestPolicy {
  /** Limit for one attempt. @unit milliseconds @default 10_000 */
  readonly timeout?: number;
  /** Extra attempts after a network failure, a time-out, 408, 429 or 5xx; a Retry-After is obeyed. @default 2 */
  readonly maxRetries?: number;
  /** Longest wait between attempts, whatever Retry-After says. @unit milliseconds @default 20_000 */
  readonly maxWait?: number;
  /** Headers for every request, for example `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default globalThis.fetch */
  readonly fetch?: typeof fetch;
  /** Aborts the request, its retries and its waits. */
  readonly signal?: AbortSignal;
}

export const POLICY_OPTIONS: OptionNames<RequestPolicy> = {
  timeout: "number",
  maxRetries: "number",
  maxWait: "number",
  headers: true,
  fetch: true,
  signal: true,
};

export interface RequestInput {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/**
 * One request under the policy.
 * @param bound - of the answer, by its status where ranges are asked for
 * @returns status, bytes and the length of the file, where it is known; null for 404
 * @throws AnchorEvalError the problem's own code where the server names one, `request_refused` for other 4xx; after the
 * last attempt `unavailable`, or what is wrong with the published bundle; `aborted`; the bound's own for a longer answer
 */
export function requestBytes(
  url: string,
  input: RequestInput,
  policy: RequestPolicy,
  bound: Bound | ((status: number) => Bound),
): Promise<{ status: number; bytes: Uint8Array; fileLength: number | undefined } | null> {
  return attempts(url, input, policy, async (response, limit) => {
    const { status, headers } = response;
    const { bytes, length } = await readBody(response, typeof bound === "function" ? bound(status) : bound);
    limit.end();
    const total = /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1]; // hidden by hosts that don't expose it
    return { status, bytes, fileLength: status !== 206 ? length : total === undefined ? total : Number(total) };
  });
}

/**
 * One request under the policy, its answer's bytes as they come: the time-out is that of each wait. What breaks off after
 * the first of them isn't tried again.
 * @throws AnchorEvalError as {@link requestBytes}; `not_found` for 404
 */
export async function* requestChunks(
  url: string,
  input: RequestInput,
  policy: RequestPolicy,
): AsyncGenerator<Uint8Array, void, undefined> {
  const begun = await attempts(url, input, policy, (response, limit) =>
    Promise.resolve({ body: response.body?.getReader(), limit }),
  );
  if (begun === null) throw new AnchorEvalError("not_found", `${url}: nothing is there`);
  const { body, limit } = begun;
  try {
    for (;;) {
      limit.renew();
      const part = await body?.read();
      if (part?.done !== false) return;
      yield part.value;
    }
  } catch (cause) {
    if (policy.signal?.aborted) throw aborted(url, cause);
    const why = limit.signal.aborted ? ": no more came" : "";
    throw new AnchorEvalError("truncated", `${url}: the answer broke off${why}`, { cause });
  } finally {
    limit.end();
    await body?.cancel().catch(() => undefined); // whoever stops reading early
  }
}

/** Makes attempts until `read` has an answer, which then has to end the limit; null for 404. */
async function attempts<T>(
  url: string,
  input: RequestInput,
  policy: RequestPolicy,
  read: (response: Response, limit: Limit) => Promise<T>,
): Promise<T | null> {
  const { timeout = 10_000, maxRetries = 2, maxWait = 20_000, signal } = policy;
  const send = policy.fetch ?? globalThis.fetch;
  let failure: AnchorEvalError | undefined;
  for (let attempt = 0; attempt <= maxRetries; attempt++) {
    if (signal?.aborted) throw aborted(url);
    let wait = 200 * 2 ** attempt;
    const limit = startLimit(timeout);
    try {
      const response = await send(url, {
        method: input.method ?? "GET",
        headers: { ...policy.headers, ...input.headers },
        ...(input.body !== undefined && { body: input.body }),
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      });
      if (response.ok) return await read(response, limit);
      const problem = await readProblem(response);
      limit.end();
      if (!mayPass(response.status)) {
        if (response.status === 404 && (problem.code === undefined || problem.code === "not_found")) return null;
        throw new AnchorEvalError(problem.code ?? "request_refused", `${url}: ${response.status}: ${problem.message}`, {
          issues: problem.issues,
        });
      }
      failure = new AnchorEvalError(
        problem.code?.startsWith("bundle_") ? problem.code : "unavailable",
        `${url}: ${response.status}: ${problem.message} (${attempt + 1} attempts)`,
        { issues: problem.issues },
      );
      wait = retryAfter(response.headers.get("retry-after")) ?? wait;
    } catch (cause) {
      limit.end();
      if (signal?.aborted) throw aborted(url, cause);
      if (cause instanceof AnchorEvalError) throw cause;
      const why = limit.signal.aborted ? `no answer within ${timeout} ms` : networkReason(cause);
      failure = new AnchorEvalError("unavailable", `${url}: ${why} (${attempt + 1} attempts)`, { cause });
    }
    if (attempt < maxRetries) await pause(Math.min(wait, maxWait), url, signal);
  }
  throw failure!;
}

/** Node says "fetch failed" of everything, and the reason in the cause. */
function networkReason(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return `${message ?? String(error)}${cause?.code ? `: ${cause.code}` : ""}`;
}

/** Whether the same request may be answered otherwise a little later. */
function mayPass(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/** A time-out that can begin anew. */
interface Limit {
  readonly signal: AbortSignal;
  renew(): void;
  end(): void;
}

function startLimit(milliseconds: number): Limit {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new DOMException("the time-out", "TimeoutError"));
  let timer = setTimeout(stop, milliseconds);
  return {
    signal: controller.signal,
    renew: () => {
      clearTimeout(timer);
      timer = setTimeout(stop, milliseconds);
    },
    end: () => clearTimeout(timer),
  };
}

interface Problem {
  readonly code: AnchorEvalErrorCode | undefined;
  readonly message: string;
  readonly issues: readonly Issue[];
}

/** The problem document of an error response (RFC 9457), as far as it is one. */
async function readProblem(response: Response): Promise<Problem> {
  const text = await readReason(response);
  try {
    const body = JSON.parse(text) as { code?: AnchorEvalErrorCode; title?: string; detail?: string; issues?: Issue[] };
    // Other servers have codes of their own; only a Worker of ours sends problem documents with these.
    const ours = response.headers.get("content-type")?.startsWith("application/problem+json");
    return {
      code: ours ? body.code : undefined,
      message: body.detail ?? body.title ?? response.statusText,
      issues: (ours && body.issues) || [],
    };
  } catch {
    return { code: undefined, message: text.slice(0, 200) || response.statusText, issues: [] };
  }
}

/** Retry-After in milliseconds: seconds or a date. */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

export function pause(milliseconds: number, url: string, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.reject(aborted(url));
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(aborted(url));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function aborted(url: string, cause?: unknown): AnchorEvalError {
  return new AnchorEvalError("aborted", `${url}: the request was aborted by the caller`, { cause });
}
