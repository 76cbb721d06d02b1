/** People's scores from a judge's and few labels. */
export { estimateFromJudge } from "./estimate-from-judge.ts";
export type { JudgedEstimate } from "./types.ts";
