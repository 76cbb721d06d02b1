/** Errors of the whole fit, repeated without some models. */
export { type Backtest, type BacktestOptions, runBacktest } from "./backtest.ts";
export { type BacktestPlanOptions, SPLITS, type SplitName } from "./plan-cells.ts";
export type { BacktestRow } from "./rows.ts";
