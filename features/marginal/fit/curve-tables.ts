import type { Curves, Problem } from "./problem.ts";

/** Points of θ and what each counts for in an integral over θ. */
export interface Grid {
  readonly points: Float64Array;
  readonly weights: Float64Array;
}

/** Points from `low` on, `step` apart, until `high` is passed. */
export function evenGrid(low: number, high: number, step: number): Grid {
  const count = Math.ceil((high - low) / step) + 1;
  return {
    points: Float64Array.from({ length: count }, (_, q) => low + q * step),
    weights: new Float64Array(count).fill(step),
  };
}

/**
 * Points from `low` on that lie as densely as `density` says, a smooth function > 0 of points per unit of θ, until `high`
 * is passed: the trapezoid rule in the variable u with du = density·dθ. Each point follows from the one before it by
 * Runge and Kutta's method of fourth order.
 * @param substep - longest step of the method, in θ: well below the length over which the density changes
 */
export function denseGrid(density: (theta: number) => number, low: number, high: number, substep: number): Grid {
  const points = [low];
  const weights = [1 / density(low)];
  for (let theta = low; theta < high;) {
    const substeps = Math.ceil(weights.at(-1)! / substep);
    const h = 1 / substeps;
    for (let n = 0; n < substeps; n++) {
      const k1 = 1 / density(theta);
      const k2 = 1 / density(theta + 0.5 * h * k1);
      const k3 = 1 / density(theta + 0.5 * h * k2);
      const k4 = 1 / density(theta + h * k3);
      theta += (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    points.push(theta);
    weights.push(1 / density(theta));
  }
  return { points: Float64Array.from(points), weights: Float64Array.from(weights) };
}

/** Index of the first point at or beyond θ; the number of points where there is none. */
export function placeOf(theta: number, { points }: Grid): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]! < theta) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As many factors of at most 2 as a float64 holds. */
const MOST_FACTORS = 1000;

/**
 * Log-likelihoods of every item at every point, so laid out that most models need only few of them.
 *
 * Without asymptotes log P(s) = ½·s·z − log(2·cosh(½z)) for an answer s = ±1. The second part is the same for right and
 * wrong, so that Σ_i ½·s·a is all that a model's answers have to be summed to: a model costs N operations, not N·Q.
 */
export function curveTables(problem: Problem, { points, weights }: Grid) {
  const { items, free, curved, curvedRow, missingRow, missingRows, signSums } = problem;
  const Q = points.length;
  /** Π (1 + e^−|z|) over items, whose logarithm is taken once for many. */
  const product = new Float64Array(Q).fill(1);
  let factors = 0;
  const tables = {
    /**
     * Q: log of the population's mass at each point, with the log-likelihood of what every item is taken for at first:
     * a wrong answer where it has asymptotes, the middle of right and wrong where it has none.
     */
    base: new Float64Array(Q),
    /** Of that, each item's part, one row for each of the items that miss answers: taken back where one is missing. */
    part: new Float64Array(missingRows * Q),
    /** log P − log Q, one row for each item with asymptotes: added where it is right. */
    rise: new Float64Array(curved.length * Q),
    /** ½·a, N, 0 for those with asymptotes: a right answer adds this times θ, a wrong one takes it. */
    halfSlope: new Float64Array(items),
    /** σ(z) − ½, N×Q, of the items without asymptotes that are estimated. */
    halfCurve: new Float64Array(free.every((i) => curvedRow[i]! >= 0) ? 0 : items * Q),
    /** Σ_m s·(−½·b) over the items without asymptotes: the part of the log-likelihood that θ has no part in. */
    constant: 0,
    update,
  };
  const { base, part, rise, halfSlope, halfCurve } = tables;

  function update(curves: Curves): void {
    const unit = -0.5 * Math.log(2 * Math.PI);
    for (let q = 0; q < Q; q++) {
      const theta = points[q]!;
      base[q] = Math.log(weights[q]!) + unit - 0.5 * theta * theta;
    }
    tables.constant = 0;
    for (const i of free) tables.constant += item(curves, i);
    takeLogarithms();
  }

  function item(curves: Curves, i: number): number {
    const a = curves.a[i]!;
    const b = curves.b[i]!;
    if (curvedRow[i]! >= 0) {
      curvedItem(a, b, curves.g[i]!, curves.k[i]!, i);
      return 0;
    }
    straightItem(a, b, i);
    halfSlope[i] = 0.5 * a;
    return -0.5 * b * signSums[i]!;
  }

  function straightItem(a: number, b: number, i: number): void {
    const partAt = missingRow[i]! * Q;
    const complete = partAt < 0;
    if (complete && ++factors > MOST_FACTORS) takeLogarithms();
    for (let q = 0; q < Q; q++) {
      const z = a * points[q]! - b;
      const size = Math.abs(z);
      const e = Math.exp(-size);
      if (complete) {
        base[q]! -= 0.5 * size;
        product[q] = product[q]! * (1 + e);
      } else {
        const value = -(0.5 * size + Math.log1p(e));
        base[q]! += value;
        part[partAt + q] = value;
      }
      const half = 0.5 - e / (1 + e);
      halfCurve[i * Q + q] = z < 0 ? -half : half;
    }
  }

  function takeLogarithms(): void {
    for (let q = 0; q < Q; q++) base[q] = base[q]! - Math.log(product[q]!);
    product.fill(1);
    factors = 0;
  }

  function curvedItem(a: number, b: number, g: number, k: number, i: number): void {
    const partAt = missingRow[i]! * Q;
    const riseAt = curvedRow[i]! * Q;
    const logScale = Math.log1p(g + k);
    for (let q = 0; q < Q; q++) {
      const z = a * points[q]! - b;
      const e = Math.exp(-Math.abs(z));
      const large = 1 / (1 + e);
      const small = e * large;
      // Without an asymptote on its side the logarithm is the logistic function's own, however far out.
      const right = g > 0 ? Math.log(g + (z < 0 ? small : large)) : Math.min(z, 0) - Math.log1p(e);
      const wrong = k > 0 ? Math.log(k + (z < 0 ? large : small)) : Math.min(-z, 0) - Math.log1p(e);
      const value = wrong - logScale;
      rise[riseAt + q] = right - wrong;
      base[q]! += value;
      if (partAt >= 0) part[partAt + q] = value;
    }
  }

  return tables;
}
