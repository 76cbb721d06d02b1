/** Routes: which model to ask. */
export { loadRouting, routeFromBundle } from "./route-from-bundle.ts";
export type { BundleRouting, Route, Routes, RoutesRequest } from "./route-from-bundle.ts";
