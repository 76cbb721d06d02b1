import { BASE_ESTIMATORS, type BaseEstimatorId, cholesky, choleskySolve } from "anchoreval/core";
import type { HeldOutEstimate } from "./held-out.ts";

/** Share of the mean squared error that is added to every estimator's own, so that near-equal ones share the weight. */
const RIDGE = 0.02;

/**
 * Weights of the stack: the convex blend of the base estimators with the least squared error on held-out source models,
 * min wᵀQw over w ≥ 0, Σw = 1, Q the mean products of their errors. Every model counts once. Exact: the optimum of each
 * set of estimators is a linear system, and there are only 63 sets.
 * @returns the Gaussian alone where nothing was held out
 * @see Breiman (1996), Stacked regressions, Machine Learning 24, 49–64
 */
export function stackWeights(estimates: readonly HeldOutEstimate[]): Record<BaseEstimatorId, number> {
  const size = BASE_ESTIMATORS.length;
  const times = new Map<number, number>();
  for (const { model } of estimates) times.set(model, (times.get(model) ?? 0) + 1);
  const products = new Float64Array(size * size);
  for (const { model, truth, base } of estimates) {
    const errors = BASE_ESTIMATORS.map((id) => base[id] - truth);
    for (let r = 0; r < size; r++)
      for (let c = 0; c < size; c++) products[r * size + c]! += (errors[r]! * errors[c]!) / times.get(model)!;
  }
  let trace = 0;
  for (let r = 0; r < size; r++) trace += products[r * size + r]! / size;
  for (let r = 0; r < size; r++) products[r * size + r]! += RIDGE * trace;
  const only: Float64Array = new Float64Array(size);
  only[BASE_ESTIMATORS.indexOf("gaussian")] = 1;
  let best = { weights: only, error: quadratic(products, only) };
  for (let set = 1; trace > 0 && set < 1 << size; set++) {
    const weights = optimumOf(products, set);
    if (weights === null) continue;
    const error = quadratic(products, weights);
    if (error < best.error) best = { weights, error };
  }
  return Object.fromEntries(BASE_ESTIMATORS.map((id, k) => [id, best.weights[k]!])) as Record<BaseEstimatorId, number>;
}

/** Weights on some estimators that sum to 1 and minimise wᵀQw; null where one would be negative. */
function optimumOf(products: Float64Array, set: number): Float64Array | null {
  const size = BASE_ESTIMATORS.length;
  const members = Array.from({ length: size }, (_, k) => k).filter((k) => (set & (1 << k)) !== 0);
  const n = members.length;
  const own = Float64Array.from(
    { length: n * n },
    (_, k) => products[members[Math.floor(k / n)]! * size + members[k % n]!]!,
  );
  const factor = cholesky(own, n);
  if (factor === null) return null;
  const solved = choleskySolve(factor, n, new Float64Array(n).fill(1));
  const sum = solved.reduce((total, value) => total + value, 0);
  if (!(sum > 0) || solved.some((value) => value < 0)) return null;
  const weights = new Float64Array(size);
  members.forEach((k, j) => (weights[k] = solved[j]! / sum));
  return weights;
}

function quadratic(products: Float64Array, weights: Float64Array): number {
  const size = weights.length;
  let sum = 0;
  for (let r = 0; r < size; r++)
    for (let c = 0; c < size; c++) sum += weights[r]! * weights[c]! * products[r * size + c]!;
  return sum;
}

/**
 * λ of gp-irt: minimises the squared error of λ·anchor-mean + (1−λ)·p-irt on held-out sources,
 * clip((E_pp − E_ap)/(E_aa + E_pp − 2·E_ap), 0, 1), E the mean products of the two errors, pooled over the
 * interpolation-like and the weak-to-strong folds. Every model counts once, however often it was held out.
 * @returns 0.5 where nothing was held out, or where both agree
 */
export function blendingWeight(estimates: readonly HeldOutEstimate[]): number {
  const times = new Map<number, number>();
  for (const { model } of estimates) times.set(model, (times.get(model) ?? 0) + 1);
  let aa = 0;
  let pp = 0;
  let ap = 0;
  for (const { model, truth, base } of estimates) {
    const anchor = base["anchor-mean"] - truth;
    const imputed = base["p-irt"] - truth;
    const share = 1 / times.get(model)!;
    aa += share * anchor * anchor;
    pp += share * imputed * imputed;
    ap += share * anchor * imputed;
  }
  const spread = aa + pp - 2 * ap;
  if (!(spread > 1e-12 * (aa + pp))) return 0.5;
  return Math.min(1, Math.max(0, (pp - ap) / spread));
}

/**
 * λ by the reference's rule: b²/(v + b²), b the validation error of the model's predictions, v = mean within-model
 * variance of scores / (4n).
 * @param bias - mean absolute error of mean predictions on validation models
 * @param variance - mean over models of the variance of their item scores
 * @see Maia Polo et al. (2024), tinyBenchmarks, training notebook
 */
export function referenceLambda(bias: number, variance: number, n: number): number {
  const square = bias * bias;
  const sampling = variance / (4 * n);
  return square + sampling === 0 ? 0.5 : square / (sampling + square);
}
