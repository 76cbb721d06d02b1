import { WorkerEntrypoint } from "cloudflare:workers";
import type {
  AdaptiveTurn,
  AnchorRecord,
  BatchResult,
  BundleRef,
  CheckRequest,
  CheckResult,
  Comparison,
  ComparisonRequest,
  Estimate,
  EstimateRequest,
  NextItemsRequest,
  Plan,
  PlanOptions,
} from "anchoreval";
import { createApp } from "./app.ts";
import { createCaches } from "./bundles/bundle-caches.ts";
import type { Env } from "./env.ts";
import { consumeQueue } from "./jobs/consume-jobs.ts";
import { callRoute, type RpcCall, type RpcOptions, type RpcResult } from "./rpc.ts";

type Bindings = Env & { BUNDLES: R2Bucket };

const sharedCaches = createCaches();
const app = createApp({ contents: caches.default }, sharedCaches);

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  queue: (batch, env, context) => consumeQueue(batch, env, context, sharedCaches),
} satisfies ExportedHandler<Bindings>;

/**
 * The interface for other Workers of the account, by a service binding (`entrypoint = "AnchorEval"`): the routes of the
 * same names, with their checks and numbers. `version` may be `latest`.
 * @example const { ok, value, problem } = await env.ANCHOREVAL.estimate({ benchmark, version }, { responses });
 */
export class AnchorEval extends WorkerEntrypoint<Bindings> {
  estimate(ref: BundleRef, request: EstimateRequest, options?: RpcOptions): Promise<RpcResult<Estimate>> {
    return this.#call({ ref, path: "estimates", body: request, ...options });
  }

  estimateBatch(
    ref: BundleRef,
    requests: readonly (EstimateRequest & { readonly model: string })[],
    options?: RpcOptions,
  ): Promise<RpcResult<{ results: BatchResult[] }>> {
    return this.#call({ ref, path: "estimates/batch", body: { models: requests }, ...options });
  }

  compare(ref: BundleRef, request: ComparisonRequest, options?: RpcOptions): Promise<RpcResult<Comparison>> {
    return this.#call({ ref, path: "comparisons", body: request, ...options });
  }

  check(ref: BundleRef, request: CheckRequest, options?: RpcOptions): Promise<RpcResult<CheckResult>> {
    return this.#call({ ref, path: "checks", body: request, ...options });
  }

  plan(ref: BundleRef, request: PlanOptions = {}, options?: RpcOptions): Promise<RpcResult<Plan>> {
    const query = new URLSearchParams(
      Object.entries(request).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return this.#call({ ref, path: `plan?${query.toString()}`, ...options });
  }

  /** @param form - default: the bundle's default form */
  anchors(
    ref: BundleRef,
    form?: string,
    options?: RpcOptions,
  ): Promise<RpcResult<{ form: string; digest: string; anchors: AnchorRecord[] }>> {
    const query = new URLSearchParams(form === undefined ? {} : { form });
    return this.#call({ ref, path: `anchors?${query.toString()}`, ...options });
  }

  /** The items that an adaptive evaluation asks next. */
  nextItems(ref: BundleRef, request: NextItemsRequest, options?: RpcOptions): Promise<RpcResult<AdaptiveTurn>> {
    return this.#call({ ref, path: "next-items", body: request, ...options });
  }

  #call<T>(call: RpcCall): Promise<RpcResult<T>> {
    return callRoute(async (request) => app.fetch(request, this.env, this.ctx), call);
  }
}
