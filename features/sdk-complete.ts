import { withPredictedScenarios } from "./unasked/sdk/predict-scenarios.ts";

/** What features make of an estimate once its scenarios have their scores, one after another. */
export const COMPLETIONS = [withPredictedScenarios] as const;
