import type { RandomSource } from "anchoreval/core";
import { addScaled, dot } from "./curvature-pairs.ts";

/** A symmetric operator's restriction to a Krylov space: about Q·T·Qᵀ. */
export interface KrylovSpace {
  /** Orthonormal columns of Q, each of the operator's size. */
  readonly basis: readonly Float64Array[];
  /** T, symmetric tridiagonal, dense and row-major, of as many rows as Q has columns. */
  readonly projected: Float64Array;
}

/**
 * Lanczos' algorithm with full reorthogonalisation, from a random start. With as many steps as rows it is exact;
 * with fewer it finds the ends of the spectrum first.
 * @param apply - out = A·v
 * @see Golub & Van Loan (2013), Matrix Computations, ch. 10
 */
export function lanczos(
  apply: (v: Float64Array, out: Float64Array) => void,
  size: number,
  steps: number,
  random: RandomSource,
): KrylovSpace {
  const basis: Float64Array[] = [];
  const diagonal: number[] = [];
  const beside: number[] = [];
  const image = new Float64Array(size);
  let next = Float64Array.from({ length: size }, () => random.normal());
  let coupling = 0;
  for (let j = 0; j < steps; j++) {
    if (j > 0) beside.push(coupling);
    const length = Math.sqrt(dot(next, next));
    const q = next.map((value) => value / length);
    basis.push(q);
    apply(q, image);
    diagonal.push(dot(q, image));
    next = image.slice();
    orthogonalize(next, basis);
    coupling = Math.sqrt(dot(next, next));
    if (coupling > 1e-8) continue;
    // The space is closed: another start beside it.
    coupling = 0;
    next = Float64Array.from({ length: size }, () => random.normal());
    orthogonalize(next, basis);
  }
  const projected = new Float64Array(steps * steps);
  for (let j = 0; j < steps; j++) {
    projected[j * steps + j] = diagonal[j]!;
    if (j > 0) projected[j * steps + j - 1] = projected[(j - 1) * steps + j] = beside[j - 1]!;
  }
  return { basis, projected };
}

/** Twice, since once leaves rounding errors behind. */
function orthogonalize(v: Float64Array, basis: readonly Float64Array[]): void {
  for (let pass = 0; pass < 2; pass++) for (const q of basis) addScaled(v, -dot(q, v), q);
}
