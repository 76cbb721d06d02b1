import { cholesky, choleskyInverse, createRandom } from "anchoreval/core";
import { addScaled } from "./curvature-pairs.ts";
import { unwhiten, whiten, type Curvature } from "./curvature.ts";
import { lanczos, type KrylovSpace } from "./lanczos.ts";
import type { MarginalObjective } from "./objective.ts";
import { factorInPlace } from "./small-cholesky.ts";

/** Up to so many parameters Lanczos' algorithm takes all its steps, and the whole matrix is exact. */
const FEW = 60;
/**
 * Its steps beyond that, without and with asymptotes. What items have in common is a handful of directions, the scale's
 * above all: at 500 × 100 standard errors are within .1 % (2PL) and 2 % (4PL) of those from the whole matrix.
 */
const STEPS = { straight: 12, curved: 24 } as const;
/** Of the score's differences, in standard errors of the items' parameters together. */
const DIFFERENCE = 1e-4;

/** Parts of the estimates' covariance matrix. */
export interface ItemCovariances {
  /** Of each free item's parameters with each other, `perItem`² row-major. */
  readonly blocks: Float64Array;
  /** Of the common slope with itself and with each item's parameters in the order of the vector; null without one. */
  readonly slope: { readonly variance: number; readonly withItems: Float64Array } | null;
}

/**
 * Covariances of the estimates: of H⁻¹, H the observed information of the log posterior, what standard errors need.
 *
 * With B the items' blocks of H (Louis' identity) and the common parameters' own entries, B = L·Lᵀ, and
 * X = I − L⁻¹·H·L⁻ᵀ what couples them, H⁻¹ is L⁻ᵀ·(I − X)⁻¹·L⁻¹. X has few large eigenvalues: Lanczos' algorithm finds
 * X ≈ Q·T·Qᵀ from products with X, each a difference of scores, and (I − X)⁻¹ is about I + Q·((I − T)⁻¹ − I)·Qᵀ. In the
 * blocks X itself is 0, so that there T is taken away again: the rest of X is then left out only from its square on. With
 * as many steps as parameters it is exact.
 * @param x - the maximum; the objective is left there, unless null is returned
 * @returns null where H isn't positive definite
 * @see Louis (1982), Journal of the Royal Statistical Society B 44, 226–233; the whole H by differences of the score as in
 * Jamshidian & Jennrich (2000), the same journal 62, 257–270
 */
export function itemCovariances(objective: MarginalObjective, x: Float64Array): ItemCovariances | null {
  const { layout } = objective;
  const { size, tail, perItem } = layout;
  const here = objective.evaluation();
  const beside = objective.evaluation();
  objective.evaluate(x, here);
  const { curvature, gradient } = here;
  const { blocks } = curvature;
  blocks.set(objective.observedBlocks(x));
  for (let at = 0; at < tail; at += perItem) if (!factorInPlace(blocks, at * perItem, perItem)) return null;

  const step = new Float64Array(size);
  /** out = −H·v. */
  const score = (v: Float64Array, out: Float64Array): void => {
    for (let k = 0; k < size; k++) step[k] = x[k]! + DIFFERENCE * v[k]!;
    objective.evaluate(step, beside);
    for (let k = 0; k < size; k++) out[k] = (beside.gradient[k]! - gradient[k]!) / DIFFERENCE;
  };
  const product = new Float64Array(size);
  for (let k = tail; k < size; k++) {
    const at = tail * perItem + k - tail;
    const unit = new Float64Array(size);
    unit[k] = 1 / blocks[at]!;
    score(unit, product);
    blocks[at] = Math.sqrt(-product[k]! * blocks[at]!);
    if (!(blocks[at] > 0)) return null;
  }
  const coupling = (v: Float64Array, out: Float64Array): void => {
    unwhiten(curvature, layout, v, out);
    score(out, out);
    whiten(curvature, layout, out, out);
    for (let k = 0; k < size; k++) out[k] = out[k]! + v[k]!;
  };
  const steps = size <= FEW ? size : perItem > 2 ? STEPS.curved : STEPS.straight;
  const space = lanczos(coupling, size, steps, createRandom("item covariances"));
  objective.evaluate(x, beside);
  const beyond = beyondIdentity(space);
  return beyond && assemble(curvature, objective, space, beyond);
}

/** (I − T)⁻¹ − I; null where I − T isn't positive definite. */
function beyondIdentity({ projected, basis }: KrylovSpace): Float64Array | null {
  const n = basis.length;
  const identity = (k: number): number => (k % (n + 1) === 0 ? 1 : 0);
  const factor = cholesky(
    projected.map((value, k) => identity(k) - value),
    n,
  );
  return factor && choleskyInverse(factor, n).map((value, k) => value - identity(k));
}

/** L⁻ᵀ·(I + Q·beyond·Qᵀ)·L⁻¹, as far as it is asked for; in the blocks without T, which has no part there. */
function assemble(
  curvature: Curvature,
  { layout }: MarginalObjective,
  { basis, projected }: KrylovSpace,
  beyond: Float64Array,
): ItemCovariances {
  const { size, tail, perItem, slope } = layout;
  const factors = curvature.blocks;
  const n = basis.length;
  const left = basis.map((q) => {
    const turned = new Float64Array(size);
    unwhiten(curvature, layout, q, turned);
    return turned;
  });
  const times = (middle: Float64Array): Float64Array[] =>
    left.map((_, j) => {
      const sum = new Float64Array(size);
      for (let k = 0; k < n; k++) addScaled(sum, middle[k * n + j]!, left[k]!);
      return sum;
    });
  const product = (right: readonly Float64Array[], r: number, s: number): number =>
    left.reduce((sum, column, j) => sum + column[r]! * right[j]![s]!, 0);

  const within = times(beyond.map((value, k) => value - projected[k]!));
  const blocks = new Float64Array(tail * perItem);
  for (let from = 0; from < tail; from += perItem) {
    const at = from * perItem;
    const own = choleskyInverse(factors.subarray(at, at + perItem * perItem), perItem);
    for (let p = 0; p < perItem; p++)
      for (let r = 0; r < perItem; r++)
        blocks[at + p * perItem + r] = own[p * perItem + r]! + product(within, from + p, from + r);
  }
  if (slope < 0) return { blocks, slope: null };
  const between = times(beyond);
  const withItems = Float64Array.from({ length: tail }, (_, r) => product(between, slope, r));
  return { blocks, slope: { variance: factors[tail * perItem]! ** -2 + product(within, slope, slope), withItems } };
}
