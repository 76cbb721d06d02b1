import { choleskySolveAt } from "anchoreval/internal/core/numeric/dense";
import type { Expectation } from "./expectation.ts";
import { priorCurvature, PRIORS, priorSlope, priorValue, type Problem } from "./problem.ts";

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

/**
 * Of one item's expected complete-data log-likelihood Σ_q r_q·log P + (n_q − r_q)·log Q, n_q and r_q the answers and the
 * right ones at each point as the E-step counts them: gradient and curvature, minus the second derivatives, in
 * (a, b, log g, log k). By Fisher's identity the gradient is that of the marginal log-likelihood.
 */
export function itemDerivatives() {
  return { value: 0, gradient: new Float64Array(4), /** 4×4, row-major. */ curvature: new Float64Array(16) };
}

type ItemDerivatives = ReturnType<typeof itemDerivatives>;

/**
 * Of an item without asymptotes, at the parameters of the E-step: all but the value and the last two parameters.
 * @param out - filled
 */
export function straightDerivatives(problem: Problem, eStep: Expectation, item: number, out: ItemDerivatives): void {
  const { mass, missingMass, halfCurve, first, last } = eStep;
  const { points } = eStep.grid;
  const row = problem.missingRow[item]! * points.length;
  const curve = item * points.length;
  let [a, b, aa, ab, bb] = [0, 0, 0, 0, 0];
  for (let q = first; q < last; q++) {
    const n = row < 0 ? mass[q]! : mass[q]! - missingMass[row + q]!;
    const theta = points[q]!;
    const half = halfCurve[curve + q]!; // P − ½, so that PQ = ¼ − half²
    const nHalf = n * half;
    const nPQ = 0.25 * n - nHalf * half;
    b += nHalf;
    a += nHalf * theta;
    bb += nPQ;
    ab += nPQ * theta;
    aa += nPQ * theta * theta;
  }
  const { gradient, curvature } = out;
  gradient[0] = 0.5 * eStep.signedMeans[item]! - a;
  gradient[1] = b - 0.5 * problem.signSums[item]!;
  curvature[0] = aa;
  curvature[1] = curvature[4] = -ab;
  curvature[5] = bb;
}

/**
 * Of an item with asymptotes, at any parameters. With s = σ(z), t = σ(−z), R = 1/(1+g+k), A = r/(g+s) and
 * B = (n−r)/(k+t): ∂z = st·(A−B), ∂log g = g·(A−nR), ∂log k = k·(B−nR), and what those give differentiated again.
 * @param p - (a, b, log g[, log k]), from `at` on; without log k, k is 0
 * @param need - `value`: all of it; `slopes`: all but the value, whose logarithms are half the work; `information`: as if
 * r = n·P answers were right, so that the curvature is Fisher's information, positive definite whatever the answers are,
 * and value and gradient mean nothing
 * @param out - filled
 */
export function curvedDerivatives(
  problem: Problem,
  eStep: Expectation,
  item: number,
  { p, at, need }: { readonly p: Float64Array; readonly at: number; readonly need: "value" | "slopes" | "information" },
  out: ItemDerivatives,
): void {
  const { mass, missingMass, rightMass, first, last } = eStep;
  const { points } = eStep.grid;
  const missingAt = problem.missingRow[item]! * points.length;
  const rightAt = problem.curvedRow[item]! * points.length;
  const a = p[at]!;
  const b = p[at + 1]!;
  const g = Math.exp(p[at + 2]!);
  const k = problem.perItem > 3 ? Math.exp(p[at + 3]!) : 0;
  const R = 1 / (1 + g + k);
  const expected = need === "information";
  const valued = need === "value";
  let [value, models, sumA, sumB] = [0, 0, 0, 0];
  let [ga, gb, aa, ab, bb, ag, bg, ak, bk, gg, kk] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let q = first; q < last; q++) {
    const n = missingAt < 0 ? mass[q]! : mass[q]! - missingMass[missingAt + q]!;
    const theta = points[q]!;
    const z = a * theta - b;
    const e = Math.exp(-Math.abs(z));
    const large = 1 / (1 + e);
    const small = e * large;
    const s = z < 0 ? small : large;
    const t = z < 0 ? large : small;
    const u = g + s;
    const v = k + t;
    const r = expected ? n * u * R : rightMass[rightAt + q]!;
    const w = n - r;
    const st = s * t;
    const A = r / u;
    const stA2 = (st * A) / u;
    // Where k = 0, t cancels: nothing is divided by what may vanish.
    const stB = k > 0 ? (st * w) / v : s * w;
    const stB2 = k > 0 ? stB / v : 0;
    const slope = st * A - stB;
    const bend = st * stA2 + (k > 0 ? st * stB2 : s * s * w) - slope * (t - s);
    if (valued) value += r * Math.log(u) + w * (k > 0 ? Math.log(v) : Math.min(-z, 0) - Math.log1p(e));
    models += n;
    gb -= slope;
    ga += slope * theta;
    bb += bend;
    ab += bend * theta;
    aa += bend * theta * theta;
    sumA += A;
    bg += stA2;
    ag += stA2 * theta;
    gg += (g * A) / u - A;
    if (k === 0) continue;
    const B = w / v;
    sumB += B;
    bk += stB2;
    ak += stB2 * theta;
    kk += (k * B) / v - B;
  }
  const { gradient, curvature } = out;
  out.value = value - models * Math.log1p(g + k);
  gradient[0] = ga;
  gradient[1] = gb;
  gradient[2] = g * (sumA - models * R);
  gradient[3] = k * (sumB - models * R);
  curvature[0] = aa;
  curvature[1] = curvature[4] = -ab;
  curvature[5] = bb;
  curvature[2] = curvature[8] = g * ag;
  curvature[6] = curvature[9] = -g * bg;
  curvature[3] = curvature[12] = -k * ak;
  curvature[7] = curvature[13] = k * bk;
  curvature[10] = g * (gg + models * R * (1 - g * R));
  curvature[15] = k * (kk + models * R * (1 - k * R));
  curvature[11] = curvature[14] = -g * k * models * R * R;
}

/**
 * Cholesky factor of an item's curvature with its priors' after the item's derivatives. Counts may bend the wrong way
 * where there are asymptotes; expected ones, Fisher's information, never do.
 * @param place - the item's parameters x, from `from` on, its derivatives there, which are overwritten where the
 * information is needed, and what gets the factor, from `at` on
 */
export function factorBlock(
  problem: Problem,
  eStep: Expectation,
  item: number,
  place: {
    readonly x: Float64Array;
    readonly from: number;
    readonly derivatives: ItemDerivatives;
    readonly out: Float64Array;
    readonly at: number;
  },
): void {
  const { slots, perItem } = problem;
  const { x, from, derivatives, out, at } = place;
  const write = (): void => {
    for (let p = 0; p < perItem; p++)
      for (let r = 0; r < perItem; r++) {
        const prior = p === r ? priorCurvature(x[from + p]!, PRIORS[slots[p]!]!) : 0;
        out[at + p * perItem + r] = derivatives.curvature[slots[p]! * 4 + slots[r]!]! + prior;
      }
  };
  write();
  if (factorInPlace(out, at, perItem)) return;
  curvedDerivatives(problem, eStep, item, { p: x, at: from, need: "information" }, derivatives);
  write();
  factorInPlace(out, at, perItem);
}

/** Newton steps of an item in one M-step, at most. Chosen, not measured. */
const MOST_STEPS = 6;
/** Longest step of any parameter. Chosen, not measured. */
const LONGEST = 1.5;
/** A step that is expected to gain less than this, in nats, is the last, and taken on trust. Chosen, not measured. */
const ENOUGH = 1e-2;

/**
 * The M-step of an item with asymptotes: maximises Σ_q r·log P + (n−r)·log Q and the log priors at the counts of the last
 * E-step, by Newton's method with damped steps.
 */
export function itemMaximizer(problem: Problem, eStep: Expectation): (free: number, x: Float64Array) => void {
  const count = problem.perItem;
  const derivatives = itemDerivatives();
  const gradient = new Float64Array(count);
  const factor = new Float64Array(count * count);
  const step = new Float64Array(count);
  const trial = new Float64Array(count);

  function value(item: number, x: Float64Array, from: number): number {
    curvedDerivatives(problem, eStep, item, { p: x, at: from, need: "value" }, derivatives);
    let sum = derivatives.value;
    for (let p = 0; p < count; p++) {
      sum += priorValue(x[from + p]!, PRIORS[p]!);
      gradient[p] = derivatives.gradient[p]! + priorSlope(x[from + p]!, PRIORS[p]!);
    }
    return sum;
  }

  return (free, x) => {
    const item = problem.free[free]!;
    const from = free * count;
    let current = value(item, x, from);
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      factorBlock(problem, eStep, item, { x, from, derivatives, out: factor, at: 0 });
      step.set(gradient);
      choleskySolveAt(factor, count, step, 0);
      let gain = 0;
      let longest = 0;
      for (let p = 0; p < count; p++) {
        gain += 0.5 * step[p]! * gradient[p]!;
        longest = Math.max(longest, Math.abs(step[p]!));
      }
      if (gain < ENOUGH) {
        for (let p = 0; p < count; p++) x[from + p]! += step[p]!;
        return;
      }
      for (let length = Math.min(1, LONGEST / longest); ;) {
        for (let p = 0; p < count; p++) trial[p] = x[from + p]! + length * step[p]!;
        const next = value(item, trial, 0);
        if (next >= current) {
          current = next;
          break;
        }
        length *= 0.3;
        if (length < 1e-4) return;
      }
      x.set(trial, from);
    }
  };
}
