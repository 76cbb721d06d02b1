/** A cubic spline by its values and second derivatives at its breaks, a line beyond them. */
export interface SmoothCurve {
  /** Breaks, ascending; a single one makes a constant. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** f″ at the breaks. */
  readonly bending: Float64Array;
}

/** f(at): cubic between the breaks, with the end's slope beyond them. NaN of NaN. */
export function curveAt({ x, y, bending }: SmoothCurve, at: number): number {
  if (x.length === 1) return Number.isNaN(at) ? NaN : y[0]!;
  const i = intervalOf(x, at);
  const width = x[i + 1]! - x[i]!;
  const [left, right] = [bending[i]!, bending[i + 1]!];
  const chord = (y[i + 1]! - y[i]!) / width;
  const last = x[i + 1]!;
  if (at > last) return y[i + 1]! + (at - last) * (chord + (width * (left + 2 * right)) / 6);
  const slope = chord - (width * (2 * left + right)) / 6;
  const step = at - x[i]!;
  if (step < 0) return y[i]! + step * slope;
  return y[i]! + step * (slope + step * (left / 2 + (step * (right - left)) / (6 * width)));
}

type CubicBSplines = ReturnType<typeof cubicBSplines>;

/**
 * Cubic B-splines on breaks t_0 < … < t_q, the outer ones fourfold: q + 3 functions that are at least 0 and sum to 1 on
 * [t_0, t_q], q + 7 knots.
 * @param breaks - ascending, distinct, at least two
 */
export function cubicBSplines(breaks: Float64Array) {
  const last = breaks.length - 1;
  const knots = Float64Array.from({ length: last + 7 }, (_, k) => breaks[Math.min(last, Math.max(0, k - 3))]!);
  return { count: last + 3, breaks, knots };
}

/** Number of the interval [t_i, t_{i+1}) that x lies in: the first or the last one for x outside. */
export function intervalOf(breaks: Float64Array, x: number): number {
  let low = 0;
  let high = breaks.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (breaks[middle]! <= x) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The four functions that aren't 0 at x.
 * @param x - within the breaks
 * @param values - filled with B_i(x) … B_{i+3}(x)
 * @returns i, the number of x's interval
 * @see de Boor (1978), A Practical Guide to Splines, chapter X
 */
export function splinesAt({ breaks, knots }: CubicBSplines, x: number, values: Float64Array): number {
  const first = intervalOf(breaks, x);
  const span = first + 3;
  values.fill(0);
  values[0] = 1;
  for (let degree = 1; degree <= 3; degree++) {
    let carried = 0;
    for (let r = 0; r < degree; r++) {
      const right = knots[span + r + 1]!;
      const left = knots[span + r + 1 - degree]!;
      const share = values[r]! / (right - left);
      values[r] = carried + (right - x) * share;
      carried = (x - left) * share;
    }
    values[degree] = carried;
  }
  return first;
}

/**
 * Second derivatives of the splines at the breaks; between them they are lines.
 * @returns three numbers a break: of B_i, B_{i+1} and B_{i+2} at t_i, all others being 0 there
 */
function bendingAtBreaks({ breaks, knots }: CubicBSplines): Float64Array {
  const out = new Float64Array(3 * breaks.length);
  for (let i = 0; i < breaks.length; i++) {
    const before = 6 / ((knots[i + 4]! - knots[i + 2]!) * (knots[i + 4]! - knots[i + 1]!));
    const after = 6 / ((knots[i + 4]! - knots[i + 2]!) * (knots[i + 5]! - knots[i + 2]!));
    out.set([before, -before - after, after], 3 * i);
  }
  return out;
}

/** Ω with cᵀΩc = ∫ f″² over [t_0, t_q] for f = Σ c·B: the integral of a square of lines, exactly. Row-major. */
export function bendingPenalty(splines: CubicBSplines): Float64Array {
  const { count, breaks } = splines;
  const bending = bendingAtBreaks(splines);
  const out = new Float64Array(count * count);
  const add = (left: number, right: number, weight: number): void => {
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++)
        out[(left + r) * count + right + c]! += weight * bending[3 * left + r]! * bending[3 * right + c]!;
  };
  for (let i = 0; i + 1 < breaks.length; i++) {
    const third = (breaks[i + 1]! - breaks[i]!) / 3;
    add(i, i, third);
    add(i + 1, i + 1, third);
    add(i, i + 1, third / 2);
    add(i + 1, i, third / 2);
  }
  return out;
}

/** B, n×count row-major: every spline at every x. */
export function basisRows(splines: CubicBSplines, x: Float64Array): Float64Array {
  const rows = new Float64Array(x.length * splines.count);
  const values = new Float64Array(4);
  x.forEach((place, j) => rows.set(values, j * splines.count + splinesAt(splines, place, values)));
  return rows;
}

/** Σ c·B as a curve: values and second derivatives at the breaks say it all. */
export function splineCurve(splines: CubicBSplines, coefficients: Float64Array): SmoothCurve {
  const values = new Float64Array(4);
  const bending = bendingAtBreaks(splines);
  return {
    x: splines.breaks,
    y: splines.breaks.map((place) => {
      const first = splinesAt(splines, place, values);
      return values.reduce((sum, value, r) => sum + value * coefficients[first + r]!, 0);
    }),
    bending: splines.breaks.map((_, i) =>
      [0, 1, 2].reduce((sum, r) => sum + bending[3 * i + r]! * coefficients[i + r]!, 0),
    ),
  };
}
