import { withPredictedScenarios } from "./unasked/sdk/predict-scenarios.ts";

/** Steps of features that complete an estimate once its scenarios have their scores, one after another. */
export const COMPLETIONS = [withPredictedScenarios] as const;
