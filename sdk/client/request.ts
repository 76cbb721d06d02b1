import { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "../core/errors.ts";

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

export interface RequestInput {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/**
 * One request under the policy.
 * @returns status and bytes; null for 404
 * @throws AnchorEvalError the problem's own code where the server names one, `request_refused` for other 4xx; after the
 * last attempt `unavailable`, or what is wrong with the published bundle; `aborted`
 */
export async function requestBytes(
  url: string,
  input: RequestInput,
  policy: RequestPolicy,
): Promise<{ status: number; bytes: Uint8Array } | null> {
  const { timeout = 10_000, maxRetries = 2, maxWait = 20_000, signal } = policy;
  const send = policy.fetch ?? globalThis.fetch;
  let failure: AnchorEvalError | undefined;
  for (let attempt = 0; attempt <= maxRetries; attempt++) {
    if (signal?.aborted) throw aborted(url);
    let wait = 200 * 2 ** attempt;
    const limit = AbortSignal.timeout(timeout);
    try {
      const response = await send(url, {
        method: input.method ?? "GET",
        headers: { ...policy.headers, ...input.headers },
        ...(input.body !== undefined && { body: input.body }),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      if (response.ok) return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
      const problem = await readProblem(response);
      if (response.status !== 408 && response.status !== 429 && response.status < 500) {
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
      if (signal?.aborted) throw aborted(url, cause);
      if (cause instanceof AnchorEvalError) throw cause;
      const why = limit.aborted
        ? `no answer within ${timeout} ms`
        : cause instanceof Error
          ? cause.message
          : String(cause);
      failure = new AnchorEvalError("unavailable", `${url}: ${why} (${attempt + 1} attempts)`, { cause });
    }
    if (attempt < maxRetries) await pause(Math.min(wait, maxWait), url, signal);
  }
  throw failure!;
}

interface Problem {
  readonly code: AnchorEvalErrorCode | undefined;
  readonly message: string;
  readonly issues: readonly Issue[];
}

/** The problem document of an error response (RFC 9457), as far as it is one. */
async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => "");
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

function pause(milliseconds: number, url: string, signal: AbortSignal | undefined): Promise<void> {
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
