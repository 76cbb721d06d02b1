import type { BundleRef, Issue } from "anchoreval";
import { requestIdOf } from "./platform/observe.ts";

export interface RpcOptions {
  /** A bearer token; protected benchmarks require one here too. */
  readonly token?: string;
  /** The caller's own request id, for the logs of both Workers. */
  readonly requestId?: string;
}

/** Why there is no result: the fields of a problem document. */
interface RpcProblem {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly issues: readonly Issue[];
  readonly requestId: string;
}

/** The outcome of a call. Errors lose their codes between Workers, so a refusal is a value. */
export type RpcResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: RpcProblem };

export interface RpcCall extends RpcOptions {
  readonly ref: BundleRef;
  readonly path: string;
  /** Sent as JSON by POST; a call without one is a GET. */
  readonly body?: unknown;
}

/**
 * Calls a route within this isolate: the same checks, limits, numbers and logs as over HTTP, without a network.
 * @param send - the app
 */
export async function callRoute<T>(
  send: (request: Request) => Promise<Response>,
  call: RpcCall,
): Promise<RpcResult<T>> {
  const requestId = requestIdOf(call.requestId);
  const body = call.body === undefined ? undefined : toJson(call.body, requestId);
  if (typeof body === "object") return { ok: false, problem: body };
  const { benchmark, version } = call.ref;
  const path = ["v1", "bundles", benchmark, version].map((part) => encodeURIComponent(part)).join("/");
  const init = {
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(call.token !== undefined && { authorization: `Bearer ${call.token}` }),
      "x-request-id": requestId,
    },
    ...(body !== undefined && { method: "POST", body }),
  };
  const url = new URL(`https://anchoreval.invalid/${path}/${call.path}`);
  let response = await send(new Request(url, init));
  const location = response.status === 307 ? response.headers.get("location") : null; // GET of `latest`
  if (location !== null) response = await send(new Request(new URL(location, url), init));
  if (response.ok) return { ok: true, value: await response.json() };
  const { code, status, detail, issues }: RpcProblem = await response.json();
  return { ok: false, problem: { code, status, detail, issues, requestId } };
}

/** The body as JSON; a problem for NaN and infinities, which JSON would turn into null: no answer instead of a wrong one. */
function toJson(body: unknown, requestId: string): string | RpcProblem {
  const issues: Issue[] = [];
  const text = JSON.stringify(body, (key, value: unknown) => {
    if (typeof value === "number" && !Number.isFinite(value))
      issues.push({ path: [key], code: "not_a_number", message: `${value} can't be written as JSON` });
    return value;
  });
  if (issues.length === 0) return text;
  const detail = `${issues[0]!.path[0]}: ${issues[0]!.message}`;
  return { code: "invalid_answers", status: 422, detail, issues: issues.slice(0, 100), requestId };
}
