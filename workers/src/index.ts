import { WorkerEntrypoint } from "cloudflare:workers";
import type { AnyEstimate, BatchResult, BundleRef, Client, EstimateRequest, TrialsRequest } from "anchoreval";
import type { PlainEstimate } from "anchoreval/internal/features/sdk-estimate";
import type { PlanRequest } from "anchoreval/internal/features/sdk-plan";
import { createApp } from "./app.ts";
import { createCaches } from "./bundles/bundle-caches.ts";
import type { Env } from "./platform/env.ts";
import { consumeQueue } from "../../features/http.ts";
import { callRoute, type RpcCall, type RpcOptions, type RpcResult } from "./rpc.ts";
import { useSimd } from "anchoreval/internal/estimate/simd-sums";

type Bindings = Env & { BUNDLES: R2Bucket };

useSimd();
const sharedCaches = createCaches();
const app = createApp({ contents: caches.default }, sharedCaches);

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  queue: (batch, env, context) => consumeQueue(batch, env, context, sharedCaches),
} satisfies ExportedHandler<Bindings>;

/** The arguments of the client's method, with a call's options. */
type Arguments<Method extends (ref: never, request: never) => unknown> = readonly [
  ref: Parameters<Method>[0],
  request: Parameters<Method>[1],
  options?: RpcOptions,
];
/** The estimate that a request is answered with. */
type EstimateOf<Request> = Request extends EstimateRequest & { readonly metric?: undefined }
  ? PlainEstimate
  : AnyEstimate;
type Answer<Method extends (...input: never) => unknown> = Promise<RpcResult<Awaited<ReturnType<Method>>>>;

/**
 * The interface for other Workers of the account, by a service binding (`entrypoint = "AnchorEval"`): the routes of the
 * same names, with their checks and numbers. `version` may be `latest`.
 * @example const { ok, value, problem } = await env.ANCHOREVAL.estimate({ benchmark, version }, { responses });
 */
export class AnchorEval extends WorkerEntrypoint<Bindings> {
  estimate<Request extends EstimateRequest | TrialsRequest>(
    ref: BundleRef,
    body: Request,
    options?: RpcOptions,
  ): Promise<RpcResult<EstimateOf<Request>>> {
    return this.#call({ ref, path: "estimates", body, ...options });
  }

  estimateBatch<Request extends EstimateRequest | TrialsRequest>(
    ref: BundleRef,
    models: readonly (Request & { readonly model: string })[],
    options?: RpcOptions,
  ): Promise<RpcResult<{ results: BatchResult<EstimateOf<Request>>[] }>> {
    return this.#call({ ref, path: "estimates/batch", body: { models }, ...options });
  }

  compare(...[ref, body, options]: Arguments<Client["compare"]>): Answer<Client["compare"]> {
    return this.#call({ ref, path: "comparisons", body, ...options });
  }

  check(...[ref, body, options]: Arguments<Client["check"]>): Answer<Client["check"]> {
    return this.#call({ ref, path: "checks", body, ...options });
  }

  plan(ref: BundleRef, request: PlanRequest = {}, options?: RpcOptions): Answer<Client["plan"]> {
    const query = Object.entries(request).map(([name, value]): [string, string] => [name, String(value)]);
    return this.#call({ ref, path: `plan?${new URLSearchParams(query).toString()}`, ...options });
  }

  /** @param form - default: the bundle's default form */
  anchors(ref: BundleRef, form?: string, options?: RpcOptions): Answer<Client["bundles"]["anchors"]> {
    const query = new URLSearchParams(form === undefined ? {} : { form });
    return this.#call({ ref, path: `anchors?${query.toString()}`, ...options });
  }

  /** The items that an adaptive evaluation asks next. */
  nextItems(...[ref, body, options]: Arguments<Client["nextItems"]>): Answer<Client["nextItems"]> {
    return this.#call({ ref, path: "next-items", body, ...options });
  }

  #call<T>(call: RpcCall): Promise<RpcResult<T>> {
    return callRoute(async (request) => app.fetch(request, this.env, this.ctx), call);
  }
}
