import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { createApp } from "../../../../workers/src/app.ts";
import type { BundleBucket, Env } from "../../../../workers/src/platform/env.ts";
import { expectDocumented } from "./documented.ts";
import { sampleBundle, type SampleBundleOptions } from "../../../support/sample-bundle.ts";

/** Publishes a sample bundle to the real R2. */
export async function publishSample(options: SampleBundleOptions = {}): Promise<{ digest: string }> {
  return publishFiles(sampleBundle(options));
}

/** Publishes a bundle's files to the real R2. */
export async function publishFiles(files: ReturnType<typeof sampleBundle>): Promise<{ digest: string }> {
  return publishBundle(r2Store(env.BUNDLES), files, { pause: () => Promise.resolve() });
}

/**
 * Sends requests to an app with empty caches, on the real R2 unless another bucket is given. Every answer must be one that
 * /openapi.json has.
 */
export function startApp(options: Parameters<typeof createApp>[0] = {}, bindings: Partial<Env> = {}) {
  const app = createApp(options);
  return async (path: string, init?: RequestInit): Promise<Response> => {
    const context = createExecutionContext();
    const request = new Request(`http://localhost${path}`, { redirect: "manual", ...init });
    const response = await app.fetch(request, { BUNDLES: env.BUNDLES, ...bindings }, context);
    await waitOnExecutionContext(context);
    await expectDocumented(request, response);
    return response;
  };
}

/** What a POST of JSON needs. */
export function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** The real bucket, which notes what is read; `fail` makes a read throw. */
export function watchedBucket(fail: (key: string) => boolean = () => false): BundleBucket & { reads: string[] } {
  const reads: string[] = [];
  return {
    reads,
    get: async (key, options) => {
      reads.push(key);
      if (fail(key)) throw new Error("internal details of the storage");
      return env.BUNDLES.get(key, options ?? {});
    },
    head: (key) => env.BUNDLES.head(key),
    put: (key: string, value: Uint8Array | ReadableStream, options: R2PutOptions) =>
      env.BUNDLES.put(key, value, options),
    list: async (options) => {
      reads.push(`${options.prefix}*`);
      return env.BUNDLES.list(options);
    },
  };
}

/** A problem document, as tests read it. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  issues: { path: (string | number)[]; code: string; message: string }[];
  instance: string;
  requestId: string;
}

/** Reads a response that must be a problem document. */
export async function problemOf(response: Response): Promise<Problem> {
  const type = response.headers.get("content-type");
  if (type !== "application/problem+json") throw new Error(`not a problem: ${response.status} ${type}`);
  const problem: Problem = await response.json();
  if (problem.status !== response.status) throw new Error(`${problem.status} stands in an answer ${response.status}`);
  return problem;
}
