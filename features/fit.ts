/** Public functions of the features on the trainer's floor, a line a feature. */
export * from "./audit/fit/index.ts";
export * from "./backtest/fit/index.ts";
export * from "./forms/fit/index.ts";
export * from "./import/fit/index.ts";
export { withGateForms } from "./gates/fit/gate-forms.ts";
export { withKnownScores } from "./known-scores/fit/known-lines.ts";
export * from "./prices/fit/index.ts";
export * from "./routing/fit/index.ts";
export { startLocalWorker, type LocalWorker, type LocalWorkerOptions } from "./serve/fit/local-worker.ts";
export * from "./simulate/fit/index.ts";
export * from "./subscores/fit/index.ts";
export * from "./trials/fit/index.ts";
