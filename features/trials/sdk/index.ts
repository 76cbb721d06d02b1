/** Several trials of an item: means over runs and tasks, pass@k. */
export { estimatePassAtK, type PassEstimate } from "./estimate-pass-at-k.ts";
export { estimateTrials, type TrialEstimate, type TrialIntervals } from "./estimate-trials.ts";
export { planTrials, type TrialPlan } from "./plan-trials.ts";
