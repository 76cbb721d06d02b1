import type { BundleRef, Issue } from "anchoreval";
import { requestIdOf } from "../observe/request-id.ts";

/** What other Workers may send along with a call. */
export interface RpcOptions {
  /** A bearer token; protected benchmarks take one here too. */
  readonly token?: string;
  /** The caller's own request id, for both logs. */
  readonly requestId?: string;
}

/** Why there is no result: what a problem document says. */
export interface RpcProblem {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly issues: readonly Issue[];
  readonly requestId: string;
}

/** Errors cross from Worker to Worker without their codes: a call gives one of two values instead. */
export type RpcResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: RpcProblem };

/** A call, as the route takes it. */
export interface RpcCall extends RpcOptions {
  readonly ref: BundleRef;
  /** Below the version, with its query. */
  readonly path: string;
  /** Sent as JSON, by POST; without one it is a GET. */
  readonly body?: unknown;
}

/**
 * Calls a route in this very isolate: the same checks, limits, numbers and logs as over HTTP, and no network.
 * @param send - the app
 */
export async function callRoute<T>(
  send: (request: Request) => Promise<Response>,
  call: RpcCall,
): Promise<RpcResult<T>> {
  const requestId = requestIdOf(call.requestId);
  const body = call.body === undefined ? undefined : jsonOf(call.body, requestId);
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
  const location = response.status === 307 ? response.headers.get("location") : null; // `latest`, of a GET
  if (location !== null) response = await send(new Request(new URL(location, url), init));
  if (response.ok) return { ok: true, value: await response.json() };
  const { code, status, detail, issues }: RpcProblem = await response.json();
  return { ok: false, problem: { code, status, detail, issues, requestId } };
}

/** The body as JSON; a problem where JSON would say something else: null for NaN is no answer instead of a wrong one. */
function jsonOf(body: unknown, requestId: string): string | RpcProblem {
  const issues: Issue[] = [];
  const text = JSON.stringify(body, (key, value: unknown) => {
    if (typeof value === "number" && !Number.isFinite(value))
      issues.push({ path: [key], code: "not_a_number", message: `${value} is no value that JSON has` });
    return value;
  });
  if (issues.length === 0) return text;
  const detail = `${issues[0]!.path[0]}: ${issues[0]!.message}`;
  return { code: "invalid_answers", status: 422, detail, issues: issues.slice(0, 100), requestId };
}
