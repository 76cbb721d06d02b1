import type { RunNoise } from "../sdk/compare/over.ts";
import { runNoise } from "./trials/sdk/trial-variances.ts";

/** How comparisons over runs know what a score varies by from run to run. */
export const RUN_NOISE: RunNoise = runNoise;
