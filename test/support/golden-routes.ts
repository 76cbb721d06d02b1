import type { Routes, RoutesRequest } from "anchoreval";

/** Routes that Node computed, for other runtimes to reproduce. */
export interface GoldenRoutes {
  readonly benchmark: string;
  readonly request: RoutesRequest;
  readonly routes: Routes;
}

declare module "vitest" {
  interface ProvidedContext {
    goldenRoutes: GoldenRoutes[];
  }
}
