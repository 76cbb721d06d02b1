/** Public functions of the features in the SDK, a line a feature. */
export * from "./adaptive/sdk/index.ts";
export * from "./compare/sdk/index.ts";
export { gateFromAnchors, type GateOptions, type GateResult } from "./gates/sdk/gate-from-anchors.ts";
export { estimateFromJudge, type JudgedEstimate } from "./judge/sdk/estimate-from-judge.ts";
export * from "./plan/sdk/index.ts";
export * from "./prices/sdk/index.ts";
export * from "./routing/sdk/index.ts";
export * from "./subscores/sdk/index.ts";
export * from "./trials/sdk/index.ts";
export * from "./trust/sdk/index.ts";
export type { BridgedScore } from "./versions/sdk.ts";
