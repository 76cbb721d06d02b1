import type { Estimate, EstimateRequest } from "anchoreval";
import type { SampleBundleOptions } from "./sample-bundle.ts";

/** A request, and what the SDK makes of it in Node. */
export interface GoldenEstimate {
  readonly name: string;
  readonly bundle: SampleBundleOptions;
  readonly request: EstimateRequest;
  readonly estimate: Estimate;
}

declare module "vitest" {
  interface ProvidedContext {
    goldenEstimates: GoldenEstimate[];
  }
}
