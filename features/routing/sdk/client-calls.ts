import type { BundleRef, CallOptions, PostToBundle } from "../../client/sdk/call.ts";
import type { Routes, RoutesRequest } from "./route-from-bundle.ts";

export interface RouteCalls {
  /** The same numbers as `routeFromBundle`, computed by the Worker. */
  routes(ref: BundleRef, request: RoutesRequest, options?: CallOptions): Promise<Routes>;
}

/**
 * A client's call for routes.
 * @param post - sends a request to the bundle's address
 * @example createClient({ baseUrl }).routes({ benchmark: "quiz", version: "1.0.0" }, { questions })
 */
export function routeCalls(post: PostToBundle): RouteCalls {
  return { routes: (ref, request, options) => post(ref, "routes", request, options) };
}
