import type { BundleRef, CallOptions, PostToBundle } from "../../../sdk/client/call.ts";
import type { Routes, RoutesRequest } from "./types.ts";

export interface RouteCalls {
  /** The same numbers as `routeFromBundle`, computed by the Worker. */
  routes(ref: BundleRef, request: RoutesRequest, options?: CallOptions): Promise<Routes>;
}

/** A client's call for routes. */
export function routeCalls(post: PostToBundle): RouteCalls {
  return { routes: (ref, request, options) => post(ref, "routes", request, options) };
}
