/** People's scores from a judge's and few labels. */
export { estimateFromJudge } from "./estimate-from-judge.ts";
export type { ItemScores, JudgedEstimate, JudgeFacts, JudgeOptions, NextLabels } from "./types.ts";
