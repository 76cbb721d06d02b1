/**
 * Working form of all items' parameters, N each: P = (g + σ(z))/(1 + g + k) and
 * Q = (k + σ(−z))/(1 + g + k) with z = a·θ − b, g = lower/(upper − lower), k = (1 − upper)/(upper − lower). Every
 * g, k ≥ 0 is a curve, so that their logarithms are free; right and wrong change places with (a,b,g,k) → (−a,−b,k,g).
 */
export interface Curves {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly g: Float64Array;
  readonly k: Float64Array;
}

/** lower = g/(1 + g + k). */
export function lowerAsymptote(g: number, k: number): number {
  return g / (1 + g + k);
}

/** upper = (1 + g)/(1 + g + k). */
export function upperAsymptote(g: number, k: number): number {
  return (1 + g) / (1 + g + k);
}
