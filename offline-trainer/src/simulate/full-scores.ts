import type { Weighting } from "anchoreval/bundle";
import type { ScenarioSlice } from "../prepare/scenarios.ts";

/** A score per model and scenario, M × S row-major, under either weighting of items. */
export type ScoresByWeighting = Readonly<Record<Weighting, Float64Array>>;

/** Adds one model's scores Σ w·y, with weights that sum to 1, from a complete row of scores or probabilities. */
export function setFullScores(
  scores: Float64Array,
  model: number,
  slices: readonly ScenarioSlice[],
  row: ArrayLike<number>,
): void {
  slices.forEach(({ begin, count, weights }, s) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += weights[i]! * row[begin + i]!;
    scores[model * slices.length + s] = sum;
  });
}
