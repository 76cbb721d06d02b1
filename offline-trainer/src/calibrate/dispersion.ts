import { sigmoid } from "anchoreval/core";
import type { GradedResponses, Parameters } from "./types.ts";

/** Answers that the pooled dispersion counts for in every item's. */
const POOLED_ANSWERS = 5;

/**
 * Dispersion φ of every item: the variance of its scores is φ·V, V = P(1−P) by the Bernoulli link and 1 by the Gaussian.
 * φ_i = (Σ_m w(y−P)² + κφ̄V̄)/(Σ_m w·V + κV̄), shrunk toward the pooled φ̄ by κ answers, V̄ their mean variance.
 * @see McCullagh & Nelder (1989), Generalized Linear Models, §4.5, §9.2 (quasi-likelihood)
 */
export function dispersions({ theta, a, b }: Parameters, responses: GradedResponses): Float64Array {
  const { subjects, items, scores, weights, link } = responses;
  const dims = a.length / items;
  const squares = new Float64Array(items);
  const variance = new Float64Array(items);
  let seen = 0;
  for (let m = 0; m < subjects; m++)
    for (let i = 0; i < items; i++) {
      const weight = weights[m * items + i]!;
      if (weight === 0) continue;
      let z = -b[i]!;
      for (let d = 0; d < dims; d++) z += a[i * dims + d]! * theta[m * dims + d]!;
      const p = sigmoid(z);
      squares[i] = squares[i]! + weight * (scores[m * items + i]! - p) ** 2;
      variance[i] = variance[i]! + weight * (link === "bernoulli" ? p * (1 - p) : 1);
      seen += weight;
    }
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  const pooled = sum(squares) / sum(variance);
  const prior = (POOLED_ANSWERS * sum(variance)) / seen;
  return squares.map((own, i) => (own + prior * pooled) / (variance[i]! + prior));
}
