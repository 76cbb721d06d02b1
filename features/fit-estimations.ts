/** Ways of the features to estimate items' parameters, beside the trunk's. */
export { calibrateMarginal } from "./marginal/fit/calibrate-marginal.ts";
export type { MarginalModel } from "./marginal/fit/problem.ts";
