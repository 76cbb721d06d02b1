/**
 * Logistic function σ(x) = 1/(1+e⁻ˣ), without overflow.
 * @returns a probability in [0,1]; NaN for NaN.
 * @example sigmoid(0) // 0.5
 */
export function sigmoid(x: number): number {
  const e = Math.exp(-Math.abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

/**
 * log(1 + eˣ) without overflow or loss: log σ(z) = −softplus(−z), log(1−σ(z)) = −softplus(z).
 * @example softplus(0) // ≈ 0.693147
 */
export function softplus(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}

/**
 * Inverse of the logistic function, log(p/(1−p)).
 * @param p - probability in (0,1); 0 and 1 give −∞ and ∞.
 * @example logit(0.5) // 0
 */
export function logit(p: number): number {
  return Math.log(p) - Math.log1p(-p);
}
