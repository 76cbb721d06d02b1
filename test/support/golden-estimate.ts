import type { AnyEstimate, Estimate, EstimateRequest, TrialPlan, TrialsRequest } from "anchoreval";
import type { ServedPlan } from "anchoreval/internal/features/sdk-plan";
import type { SampleBundleOptions } from "./sample-bundle.ts";

/** A request, and what the SDK makes of it in Node. */
export interface GoldenEstimate {
  readonly name: string;
  readonly bundle: SampleBundleOptions;
  readonly request: EstimateRequest;
  readonly estimate: Estimate;
}

/** Answers over trials to a bundle that was fitted on such and by prices, and plans of it, with what Node makes of them. */
export interface GoldenTrials {
  readonly bundle: SampleBundleOptions;
  readonly estimates: readonly {
    readonly name: string;
    readonly request: TrialsRequest;
    readonly estimate: AnyEstimate;
  }[];
  readonly plans: readonly { readonly query: string; readonly plan: ServedPlan | TrialPlan }[];
}

declare module "vitest" {
  interface ProvidedContext {
    goldenEstimates: GoldenEstimate[];
    goldenTrials: GoldenTrials;
  }
}
