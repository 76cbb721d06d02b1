import { itemResponses } from "../irt/item-response.ts";
import type { FloatArray, ItemBank } from "../irt/types.ts";
import { applyMonotoneMap, type MonotoneMap } from "../numeric/monotone-map.ts";

/**
 * Predicted scores p̂ of every item at θ: the response probability, mapped to the score's scale where the fit was
 * made on binarised scores.
 */
export function predictedScores(theta: FloatArray, bank: ItemBank, scoreMap: MonotoneMap | null): Float64Array {
  const predicted = itemResponses(theta, bank);
  if (scoreMap !== null)
    for (let i = 0; i < predicted.length; i++) predicted[i] = applyMonotoneMap(scoreMap, predicted[i]!);
  return predicted;
}
