import type { Layout } from "./problem.ts";

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

/** L⁻¹·v, block by block; out may be v. */
export function whiten({ blocks }: Curvature, layout: Layout, v: Float64Array, out: Float64Array): void {
  eachBlock(blocks, layout, v, out, solveLower);
}

/** L⁻ᵀ·v, block by block; out may be v. */
export function unwhiten({ blocks }: Curvature, layout: Layout, v: Float64Array, out: Float64Array): void {
  eachBlock(blocks, layout, v, out, solveUpper);
}

function eachBlock(
  blocks: Float64Array,
  { tail, perItem, size }: Layout,
  v: Float64Array,
  out: Float64Array,
  solve: typeof solveLower,
): void {
  let block = 0;
  for (let at = 0; at < tail; at += perItem, block += perItem * perItem) solve(blocks, block, perItem, v, out, at);
  for (let at = tail; at < size; at++, block++) solve(blocks, block, 1, v, out, at);
}

/**
 * The step that this curvature takes for a gradient v: (LLᵀ)⁻¹·v, and along the two directions u₁ and u₂ what the
 * population (and priors) ask for, u₁·(u₁ᵀv)/M + u₂·(u₂ᵀv)/(2M).
 */
export function newtonStep(curvature: Curvature, layout: Layout, v: Float64Array, out: Float64Array): void {
  whiten(curvature, layout, v, out);
  unwhiten(curvature, layout, out, out);
  const { slopes, hold } = curvature;
  const { perItem, slope } = layout;
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
    out[at + b] = out[at + b]! + shift * slopes[f]!;
    if (b > 0) out[at] = out[at]! + stretch * slopes[f]!;
  }
  if (slope >= 0) out[slope] = out[slope]! + stretch * slopes[0]!;
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

/** x = L⁻¹·v for n values from `from` on; x may be v. */
export function solveLower(
  l: Float64Array,
  at: number,
  n: number,
  v: Float64Array,
  x: Float64Array,
  from: number,
): void {
  for (let i = 0; i < n; i++) {
    let sum = v[from + i]!;
    for (let k = 0; k < i; k++) sum -= l[at + i * n + k]! * x[from + k]!;
    x[from + i] = sum / l[at + i * n + i]!;
  }
}

/** x = L⁻ᵀ·v for n values from `from` on; x may be v. */
export function solveUpper(
  l: Float64Array,
  at: number,
  n: number,
  v: Float64Array,
  x: Float64Array,
  from: number,
): void {
  for (let i = n - 1; i >= 0; i--) {
    let sum = v[from + i]!;
    for (let k = i + 1; k < n; k++) sum -= l[at + k * n + i]! * x[from + k]!;
    x[from + i] = sum / l[at + i * n + i]!;
  }
}
