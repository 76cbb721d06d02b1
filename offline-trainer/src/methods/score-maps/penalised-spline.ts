import { addGram, cholesky } from "anchoreval/internal/core/numeric/dense";
import { symmetricEigen } from "../../numeric/eigen.ts";
import { mean } from "../../numeric/statistics.ts";
import { basisRows, bendingPenalty, cubicBSplines, type SmoothCurve, splineCurve } from "./b-splines.ts";

/** Pieces of the spline at most; the penalty decides how much of them is used. */
const PIECES = 20;

/** Different x below which there is a line, no curve. */
export const LEAST_POINTS = 5;

/**
 * A smooth map of y on x: {@link penalisedSpline} with breaks at quantiles of the different x and λ by GCV. A line by least
 * squares below five different x, the mean of y where all are the same.
 * @param x - at least one
 */
export function smoothMap(x: Float64Array, y: Float64Array): SmoothCurve {
  const different = distinctValues(x);
  if (different.length >= LEAST_POINTS) return penalisedSpline(x, y, quantiles(different, PIECES)).curve;
  const [centre, level] = [mean(x), mean(y)];
  if (different.length === 1) return { x: different, y: Float64Array.of(level), bending: new Float64Array(1) };
  let [square, product] = [0, 0];
  x.forEach((value, j) => {
    square += (value - centre) ** 2;
    product += (value - centre) * (y[j]! - level);
  });
  return straightCurve(different, (end) => level + ((end - centre) * product) / square);
}

/** Breaks of a spline of `pieces` pieces at most: evenly spaced among different values. */
export function quantiles(different: Float64Array, pieces: number): Float64Array {
  const last = different.length - 1;
  const used = Math.min(pieces, last);
  return Float64Array.from({ length: used + 1 }, (_, k) => different[Math.round((k * last) / used)]!);
}

/** A line from the first to the last of some values. */
export function straightCurve(different: Float64Array, valueAt: (x: number) => number): SmoothCurve {
  const x = Float64Array.of(different[0]!, different.at(-1)!);
  return { x, y: x.map(valueAt), bending: new Float64Array(2) };
}

/** λ is looked for within a factor of so much to either side of where it weighs as much as the data. */
const DECADES = 8;

/** Values of log₁₀ λ on a grid, before the best of them is refined. */
const GRID = 4 * DECADES + 1;

/** Steps of golden section between its neighbours. */
const STEPS = 40;

/**
 * Penalised cubic spline: of all Σ c·B on some breaks the one with the least Σ_j (y_j − f(x_j))² + λ·∫ f″². With a break
 * at every distinct x it is the natural smoothing spline; with fewer, a P-spline with the exact penalty.
 *
 * BᵀB + λΩ is brought to a diagonal once for all λ, by the eigenvectors of L⁻¹ΩL⁻ᵀ with LLᵀ = BᵀB + τΩ, which is definite
 * wherever two x differ.
 * @param x - two at least differ
 * @param breaks - ascending, distinct, at least two; no x outside of them
 * @param penalty - λ, or "gcv": the least n·RSS/(n − degrees)², degrees being the trace of the smoother, 2 of a line
 * @see Eilers & Marx (1996), Statistical Science 11, 89–121; Craven & Wahba (1978), Numerische Mathematik 31, 377–403
 */
export function penalisedSpline(
  x: Float64Array,
  y: Float64Array,
  breaks: Float64Array,
  penalty: number | "gcv" = "gcv",
) {
  const splines = cubicBSplines(breaks);
  const { count } = splines;
  const rows = basisRows(splines, x);
  const toward = new Float64Array(count);
  for (let j = 0; j < x.length; j++) for (let k = 0; k < count; k++) toward[k]! += rows[j * count + k]! * y[j]!;
  const { balance, solve } = diagonalised(rows, x.length, bendingPenalty(splines), toward);

  const fit = (lambda: number) => {
    const { coefficients, degrees } = solve(lambda);
    let squares = 0;
    for (let j = 0; j < x.length; j++) {
      let value = 0;
      for (let k = 0; k < count; k++) value += rows[j * count + k]! * coefficients[k]!;
      squares += (y[j]! - value) ** 2;
    }
    return { coefficients, degrees, gcv: (x.length * squares) / (x.length - degrees) ** 2 };
  };
  const { coefficients, ...fitted } = fit(penalty === "gcv" ? leastGcv(balance, (trial) => fit(trial).gcv) : penalty);
  return { curve: splineCurve(splines, coefficients), ...fitted };
}

/** The solution of (BᵀB + λΩ)c = b for any λ. @returns τ = tr BᵀB / tr Ω too */
function diagonalised(rows: Float64Array, observations: number, bending: Float64Array, toward: Float64Array) {
  const count = toward.length;
  const gram = new Float64Array(count * count);
  addGram(gram, count, rows, new Float64Array(observations).fill(1), observations);
  const balance = trace(gram, count) / trace(bending, count);
  const definite = gram.map((value, at) => value + balance * bending[at]!);
  const factor = cholesky(definite, count)!;
  const { values, vectors } = symmetricEigen(whitened(factor, bending, count), count);
  const turned = new Float64Array(count);
  const solved = forward(factor, count, toward, 0, 1);
  for (let k = 0; k < count; k++) for (let r = 0; r < count; r++) turned[k]! += vectors[k * count + r]! * solved[r]!;
  const solve = (lambda: number) => {
    const mixed = new Float64Array(count);
    let degrees = 0;
    for (let k = 0; k < count; k++) {
      const share = Math.max(0, 1 - balance * values[k]!); // of BᵀB along this vector; of λΩ it is λ·value
      const scale = share + lambda * values[k]!;
      degrees += share / scale;
      for (let r = 0; r < count; r++) mixed[r]! += (vectors[k * count + r]! * turned[k]!) / scale;
    }
    return { coefficients: backward(factor, count, mixed), degrees };
  };
  return { balance, solve };
}

/** λ of the least GCV: on a grid of its logarithm, then by golden section. */
function leastGcv(balance: number, gcv: (lambda: number) => number): number {
  const at = (exponent: number): number => balance * 10 ** exponent;
  const step = (2 * DECADES) / (GRID - 1);
  let best = -DECADES;
  let least = Infinity;
  for (let k = 0; k < GRID; k++) {
    const value = gcv(at(k * step - DECADES));
    if (value < least) [best, least] = [k * step - DECADES, value];
  }
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [best - step, best + step];
  for (let k = 0; k < STEPS; k++) {
    const [left, right] = [high - golden * (high - low), low + golden * (high - low)];
    if (gcv(at(left)) <= gcv(at(right))) high = right;
    else low = left;
  }
  return at((low + high) / 2);
}

/** L⁻¹·Ω·L⁻ᵀ. */
function whitened(factor: Float64Array, matrix: Float64Array, n: number): Float64Array {
  const half = new Float64Array(n * n);
  for (let c = 0; c < n; c++) forward(factor, n, matrix, c, n).forEach((value, r) => (half[r * n + c] = value));
  const out = new Float64Array(n * n);
  for (let r = 0; r < n; r++) out.set(forward(factor, n, half, r * n, 1), r * n);
  for (let r = 0; r < n; r++)
    for (let c = 0; c < r; c++) out[r * n + c] = out[c * n + r] = (out[r * n + c]! + out[c * n + r]!) / 2;
  return out;
}

/** L⁻¹·v, v every `stride`-th number from `begin`. */
function forward(l: Float64Array, n: number, v: Float64Array, begin: number, stride: number): Float64Array {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = v[begin + i * stride]!;
    for (let k = 0; k < i; k++) sum -= l[i * n + k]! * out[k]!;
    out[i] = sum / l[i * n + i]!;
  }
  return out;
}

/** L⁻ᵀ·v. */
function backward(l: Float64Array, n: number, v: Float64Array): Float64Array {
  const out = v.slice();
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) out[i]! -= l[k * n + i]! * out[k]!;
    out[i]! /= l[i * n + i]!;
  }
  return out;
}

function trace(matrix: Float64Array, n: number): number {
  let sum = 0;
  for (let k = 0; k < n; k++) sum += matrix[k * n + k]!;
  return sum;
}

/** Gap, relative to the range, below which two values are one: means of the same scores, stored as float32, differ by less. */
const SAME = 1e-6;

/** The same, relative to the values themselves. */
const ROUNDING = 1e-13;

/**
 * The different values, ascending: of those that differ by rounding alone one, the least and the greatest among them all.
 * Pieces of a spline between values that only rounding tells apart would bend without end.
 */
export function distinctValues(x: Float64Array): Float64Array {
  const sorted = Float64Array.from(new Set(x)).sort();
  const greatest = sorted.at(-1)!;
  const least = sorted[0]!;
  const gap = Math.max(SAME * (greatest - least), ROUNDING * Math.max(Math.abs(least), Math.abs(greatest)));
  const kept: number[] = [];
  for (const value of sorted) if (kept.length === 0 || value - kept.at(-1)! > gap) kept.push(value);
  kept[kept.length - 1] = greatest;
  return Float64Array.from(kept);
}
