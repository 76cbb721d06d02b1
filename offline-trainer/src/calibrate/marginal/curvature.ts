import { choleskySolveAt } from "anchoreval/internal/core/numeric/dense";
import type { Problem } from "./problem.ts";

/**
 * First guess of logPosterior's curvature at a point: item by item that of the complete data, as if
 * abilities were known, and two directions along which that is far off. Moving all b by c·a, or all a by a factor, is to
 * move or to stretch the abilities: N items resist it as if those were known, but only the population holds them, that
 * is M models. Left alone, these two make EM slow, the slower the more items there are.
 * @see Liu, Rubin & Wu (1998), Biometrika 85, 755–770: PX-EM, which is fast along the same two
 */
export interface Curvature {
  /** Cholesky factors: `perItem`² for each free item, then one number for the common slope. */
  readonly blocks: Float64Array;
  /** Discriminations of the free items, of which the two directions are made. */
  readonly slopes: Float64Array;
  /** How firmly the two directions are held: by the population M and 2M, and by priors where those act. */
  hold: { shift: number; stretch: number };
}

/** (LLᵀ)⁻¹·v, block by block: the EM step for a gradient v. */
export function blockStep({ blocks }: Curvature, problem: Problem, v: Float64Array, out: Float64Array): void {
  const { tail, perItem, size } = problem;
  out.set(v);
  for (let at = 0; at < tail; at += perItem)
    choleskySolveAt(blocks.subarray(at * perItem, (at + perItem) * perItem), perItem, out, at);
  if (size > tail) choleskySolveAt(blocks.subarray(tail * perItem), 1, out, tail);
}

/** The step that this curvature takes for a gradient v: {@link blockStep} and u₁·(u₁ᵀv)/M + u₂·(u₂ᵀv)/(2M), about. */
export function newtonStep(curvature: Curvature, problem: Problem, v: Float64Array, out: Float64Array): void {
  blockStep(curvature, problem, v, out);
  const { slopes, hold } = curvature;
  const { perItem, slope } = problem;
  if (slopes.length === 0) return;
  const b = perItem === 1 ? 0 : 1;
  let shift = 0;
  let stretch = slope < 0 ? 0 : slopes[0]! * v[slope]!;
  for (let f = 0; f < slopes.length; f++) {
    shift += slopes[f]! * v[f * perItem + b]!;
    if (b > 0) stretch += slopes[f]! * v[f * perItem]!;
  }
  shift /= hold.shift;
  stretch /= hold.stretch;
  for (let f = 0; f < slopes.length; f++) {
    const at = f * perItem;
    out[at + b]! += shift * slopes[f]!;
    if (b > 0) out[at]! += stretch * slopes[f]!;
  }
  if (slope >= 0) out[slope]! += stretch * slopes[0]!;
}

/**
 * Cholesky factor of a small symmetric matrix within a larger array, in place: the lower triangle becomes L.
 * @param at - where the n×n matrix begins, row-major
 * @returns whether it is positive definite; if not, it is left half done
 */
export function factorInPlace(matrix: Float64Array, at: number, n: number): boolean {
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = matrix[at + i * n + j]!;
      const pivot = 1e-12 * sum;
      for (let k = 0; k < j; k++) sum -= matrix[at + i * n + k]! * matrix[at + j * n + k]!;
      if (i !== j) matrix[at + i * n + j] = sum / matrix[at + j * n + j]!;
      else if (sum > pivot && sum > 0) matrix[at + i * n + i] = Math.sqrt(sum);
      else return false;
    }
  return true;
}
