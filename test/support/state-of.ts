import type { AnsweredSample, ScenarioState } from "anchoreval/internal/core/estimators/types";

/** What estimators read of predicted scores of all items. */
export function stateOf(weights: Float64Array, predicted: Float64Array, sample: AnsweredSample): ScenarioState {
  return {
    weights,
    expected: weights.reduce((sum, weight, i) => sum + weight * predicted[i]!, 0),
    spread: weights.reduce((sum, weight, i) => sum + weight * predicted[i]! * (1 - predicted[i]!), 0),
    predicted: Float64Array.from(sample.items, (item) => predicted[item]!),
    sample,
  };
}
