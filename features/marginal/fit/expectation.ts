import type { CodedResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { curveTables, type Grid, placeOf } from "./curve-tables.ts";
import type { Curves, Problem } from "./problem.ts";

/** Densities this far below a posterior's peak, in nats, count as 0: e⁻³⁶ is below float64's last digit. */
const NEGLIGIBLE = 36;
/** A posterior cut off this far below its peak, in nats, loses 2e-9 of its mass. Chosen, not measured. */
const CUT = 20;
/**
 * Points beyond those that count, so that a posterior may move a little before its window must grow. Chosen, not
 * measured.
 */
const MARGIN = 2;

/** Where each model's posterior lies, M each, in units of θ: from where a window is looked for. */
export interface PosteriorBounds {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/**
 * The E-step of Bock & Aitkin's EM algorithm on an even grid. A model's posterior is narrow, so that only a window of
 * points is looked at: those of the last run, and more wherever one at its end still counts. Models are gone through in
 * the order of their windows, which keeps the points in use in the cache.
 * @returns moments of the models' posteriors p(θ_q | y_m), and the sums over models that the items' derivatives need; of
 * the last run
 * @see Bock & Aitkin (1981), Psychometrika 46, 443–459
 */
export function expectation(problem: Problem, grid: Grid, start?: PosteriorBounds) {
  const { subjects, items, signs, curved, missing, missingRow } = problem;
  const { points } = grid;
  const Q = points.length;
  const tables = curveTables(problem, grid);
  const { base, part, rise, halfSlope } = tables;
  const hasStraight = curved.length < problem.free.length;
  const { order, from, to } = windows(start);
  const row = new Float64Array(Q);
  /** Of every model Σ_i ½·s·a over the items without asymptotes. */
  const slopes = new Float64Array(subjects);
  /** Where the rows begin of the items with asymptotes that the model at hand has right. */
  const right = new Int32Array(curved.length);
  let rights = 0;
  const out = {
    grid,
    /** E[θ | y_m], M. */
    mean: new Float64Array(subjects),
    bounds: { low: new Float64Array(subjects), high: new Float64Array(subjects) } as PosteriorBounds,
    /** Σ_m p(θ_q | y_m), Q: the models at each point. */
    mass: new Float64Array(Q),
    /** The same over the models that miss an item, one row for each of the items that miss answers. */
    missingMass: new Float64Array(problem.missingRows * Q),
    /** The same over the models that have an item right, one row for each item with asymptotes. */
    rightMass: new Float64Array(curved.length * Q),
    /** Σ_m s·E[θ | y_m], N. */
    signedMeans: new Float64Array(items),
    /** σ(z) − ½ of the items without asymptotes, N×Q. */
    halfCurve: tables.halfCurve,
    /** Points at which there is any model: [first, last). */
    first: 0,
    last: Q,
    /** Whether some model's posterior reaches beyond the grid. */
    cut: false,
    run,
  };
  const { mass, missingMass, rightMass, signedMeans } = out;

  function windows(bounds: PosteriorBounds | undefined) {
    const low = Int32Array.from({ length: subjects }, (_, m) => (bounds ? placeOf(bounds.low[m]!, grid) : 0));
    const high = Int32Array.from({ length: subjects }, (_, m) => (bounds ? placeOf(bounds.high[m]!, grid) + 1 : Q));
    const width = Math.min(Q, 2 * MARGIN);
    return {
      order: Int32Array.from(low.keys()).sort((m, n) => low[m]! - low[n]!),
      from: low.map((q) => Math.min(q, Q - width)),
      to: high.map((q) => Math.max(Math.min(q, Q), width)),
    };
  }

  /** The E-step. @returns the marginal log-likelihood Σ_m log ∫ Π_i P(y_mi | θ) dN(θ), in nats */
  function run(curves: Curves): number {
    tables.update(curves);
    mass.fill(0);
    missingMass.fill(0);
    rightMass.fill(0);
    if (hasStraight) sumOverItems(problem, halfSlope, slopes);
    out.first = Q;
    out.last = 0;
    out.cut = false;
    let value = tables.constant;
    for (const m of order) value += posterior(m);
    if (hasStraight) sumOverModels(problem, out.mean, signedMeans);
    return value;
  }

  /** One model's posterior and its part in all sums. @returns log of the integral, without `tables.constant` */
  function posterior(m: number): number {
    listRight(m);
    let lo = from[m]!;
    let hi = to[m]!;
    let peak: number;
    for (;;) {
      logPosterior(m, lo, hi);
      peak = row[lo]!;
      for (let q = lo + 1; q < hi; q++) if (row[q]! > peak) peak = row[q]!;
      const left = row[lo]! > peak - NEGLIGIBLE;
      const end = row[hi - 1]! > peak - NEGLIGIBLE;
      if ((lo === 0 && row[0]! > peak - CUT) || (hi === Q && row[Q - 1]! > peak - CUT)) out.cut = true;
      if (!(left && lo > 0) && !(end && hi < Q)) break;
      const width = hi - lo;
      if (left) lo = Math.max(0, lo - width);
      if (end) hi = Math.min(Q, hi + width);
    }
    while (row[lo]! <= peak - NEGLIGIBLE) lo++;
    while (row[hi - 1]! <= peak - NEGLIGIBLE) hi--;
    let total = 0;
    let mean = 0;
    for (let q = lo; q < hi; q++) {
      const p = Math.exp(row[q]! - peak);
      row[q] = p;
      total += p;
      mean += p * points[q]!;
    }
    out.mean[m] = mean / total;
    out.bounds.low[m] = points[lo]!;
    out.bounds.high[m] = points[hi - 1]!;
    from[m] = Math.max(0, lo - MARGIN);
    to[m] = Math.min(Q, hi + MARGIN);
    for (let q = lo; q < hi; q++) row[q] = row[q]! / total;
    accumulate(m, lo, hi);
    return peak + Math.log(total);
  }

  function listRight(m: number): void {
    const cells = m * items;
    rights = 0;
    for (let c = 0; c < curved.length; c++) {
      right[rights] = c * Q;
      rights += signs[cells + curved[c]!]! > 0 ? 1 : 0; // no branch: answers can't be foreseen
    }
  }

  function logPosterior(m: number, lo: number, hi: number): void {
    const slope = slopes[m]!;
    for (let q = lo; q < hi; q++) row[q] = base[q]! + slope * points[q]!;
    let n = 0;
    for (; n + 3 < rights; n += 4) {
      const [k, l, i, j] = [right[n]!, right[n + 1]!, right[n + 2]!, right[n + 3]!];
      for (let q = lo; q < hi; q++) row[q] = row[q]! + rise[k + q]! + rise[l + q]! + (rise[i + q]! + rise[j + q]!);
    }
    for (; n < rights; n++) {
      const at = right[n]!;
      for (let q = lo; q < hi; q++) row[q]! += rise[at + q]!;
    }
    const end = missing.from[m + 1]!;
    for (let cell = missing.from[m]!; cell < end; cell++) {
      const at = missingRow[missing.items[cell]!]! * Q;
      for (let q = lo; q < hi; q++) row[q]! -= part[at + q]!;
    }
  }

  function accumulate(m: number, lo: number, hi: number): void {
    if (lo < out.first) out.first = lo;
    if (hi > out.last) out.last = hi;
    for (let q = lo; q < hi; q++) mass[q]! += row[q]!;
    for (let n = 0; n < rights; n++) {
      const at = right[n]!;
      for (let q = lo; q < hi; q++) rightMass[at + q]! += row[q]!;
    }
    const end = missing.from[m + 1]!;
    for (let n = missing.from[m]!; n < end; n++) {
      const at = missingRow[missing.items[n]!]! * Q;
      for (let q = lo; q < hi; q++) missingMass[at + q]! += row[q]!;
    }
  }

  return out;
}

export type Expectation = ReturnType<typeof expectation>;

/** out_m = Σ_i s_mi·v_i, four models at a time, so that sums don't wait for each other. */
export function sumOverItems({ subjects, items, signs }: CodedResponses, v: Float64Array, out: Float64Array): void {
  let m = 0;
  for (; m + 3 < subjects; m += 4) {
    const at = m * items;
    const [second, third, fourth] = [at + items, at + 2 * items, at + 3 * items];
    let [p, q, r, s] = [0, 0, 0, 0];
    for (let i = 0; i < items; i++) {
      const value = v[i]!;
      p += signs[at + i]! * value;
      q += signs[second + i]! * value;
      r += signs[third + i]! * value;
      s += signs[fourth + i]! * value;
    }
    out[m] = p;
    out[m + 1] = q;
    out[m + 2] = r;
    out[m + 3] = s;
  }
  for (; m < subjects; m++) {
    const at = m * items;
    let sum = 0;
    for (let i = 0; i < items; i++) sum += signs[at + i]! * v[i]!;
    out[m] = sum;
  }
}

/** out_i = Σ_m s_mi·v_m, four models at a time, so that out is gone through a quarter as often. */
export function sumOverModels({ subjects, items, signs }: CodedResponses, v: Float64Array, out: Float64Array): void {
  out.fill(0);
  let m = 0;
  for (; m + 3 < subjects; m += 4) {
    const at = m * items;
    const [second, third, fourth] = [at + items, at + 2 * items, at + 3 * items];
    const [p, q, r, s] = [v[m]!, v[m + 1]!, v[m + 2]!, v[m + 3]!];
    for (let i = 0; i < items; i++)
      out[i] = out[i]! + signs[at + i]! * p + signs[second + i]! * q + (signs[third + i]! * r + signs[fourth + i]! * s);
  }
  for (; m < subjects; m++) {
    const at = m * items;
    const weight = v[m]!;
    for (let i = 0; i < items; i++) out[i]! += signs[at + i]! * weight;
  }
}
