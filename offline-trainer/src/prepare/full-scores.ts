import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { ScenarioSlice } from "./scenarios.ts";

/** Full scores of a scenario's models. */
export interface FullScores {
  /** Σ w·y / Σ w over the observed items; NaN where nothing was observed. */
  readonly score: Float64Array;
  /** Observed share of the scenario's weight, in [0,1]. */
  readonly observed: Float64Array;
}

/** The score of every model on all observed items of a scenario. */
export function fullScores(matrix: ResponseMatrix, { begin, count, weights }: ScenarioSlice): FullScores {
  const models = matrix.subjects.length;
  const columns = matrix.items.length;
  const score = new Float64Array(models);
  const observed = new Float64Array(models);
  for (let m = 0; m < models; m++) {
    let sum = 0;
    let mass = 0;
    const row = m * columns + begin;
    for (let i = 0; i < count; i++) {
      if (matrix.observed !== null && matrix.observed[row + i] === 0) continue;
      sum += weights[i]! * matrix.scores[row + i]!;
      mass += weights[i]!;
    }
    score[m] = mass > 0 ? sum / mass : NaN;
    observed[m] = matrix.observed === null ? 1 : mass;
  }
  return { score, observed };
}
