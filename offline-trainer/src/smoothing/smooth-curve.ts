import { intervalOf } from "./cubic-b-splines.ts";

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
