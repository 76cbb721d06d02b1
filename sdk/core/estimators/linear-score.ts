/** A score that is linear in the answers: constant + Σ weights·y. */
export interface LinearScore {
  readonly constant: number;
  /** One an answer; may be negative. */
  readonly weights: Float64Array;
}

/**
 * constant + Σ weights·y.
 * @param scores - y, aligned with the weights
 */
export function linearScore({ constant, weights }: LinearScore, scores: ArrayLike<number>): number {
  let score = constant;
  for (let j = 0; j < weights.length; j++) score += weights[j]! * scores[j]!;
  return score;
}
