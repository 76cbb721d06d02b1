import { bendingAtBreaks, splinesAt, type CubicBSplines } from "./cubic-b-splines.ts";
import type { SmoothCurve } from "./smooth-curve.ts";

/** B, n×count row-major: every spline at every x. */
export function basisRows(splines: CubicBSplines, x: Float64Array): Float64Array {
  const rows = new Float64Array(x.length * splines.count);
  const values = new Float64Array(4);
  x.forEach((own, j) => rows.set(values, j * splines.count + splinesAt(splines, own, values)));
  return rows;
}

/** Σ c·B as a curve: values and second derivatives at the breaks say it all. */
export function splineCurve(splines: CubicBSplines, coefficients: Float64Array): SmoothCurve {
  const values = new Float64Array(4);
  const bending = bendingAtBreaks(splines);
  return {
    x: splines.breaks,
    y: splines.breaks.map((own) => {
      const first = splinesAt(splines, own, values);
      return values.reduce((sum, value, r) => sum + value * coefficients[first + r]!, 0);
    }),
    bending: splines.breaks.map((_, i) =>
      [0, 1, 2].reduce((sum, r) => sum + bending[3 * i + r]! * coefficients[i + r]!, 0),
    ),
  };
}
