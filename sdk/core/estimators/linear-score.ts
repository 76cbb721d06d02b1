/** A score that is linear in the answers: constant + Σ weights·y. */
export interface LinearScore {
  readonly constant: number;
  /** One an answer; may be negative. */
  readonly weights: Float64Array;
}

/** @param scores - answers aligned with the weights */
export function linearScore({ constant, weights }: LinearScore, scores: ArrayLike<number>): number {
  return weights.reduce((sum, weight, j) => sum + weight * scores[j]!, constant);
}
