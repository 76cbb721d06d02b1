import type { AnsweredSample } from "anchoreval/internal/core/estimators/types";

/** Every item answered, in the bank's order and with the same mass. */
export function wholeSample(scores: ArrayLike<number>): AnsweredSample {
  const items = Uint32Array.from({ length: scores.length }, (_, j) => j);
  return {
    items,
    positions: items,
    scores: Float64Array.from(scores),
    mass: new Float64Array(scores.length).fill(1 / scores.length),
    inclusion: null,
    share: 1,
  };
}
