import { distinctValues } from "./distinct-values.ts";
import { penalisedSpline } from "./penalised-spline.ts";
import type { SmoothCurve } from "./smooth-curve.ts";

/** Pieces of the spline at most; the penalty decides how much of them is used. */
const PIECES = 20;

/** Different x below which there is a line, no curve. */
const LEAST_POINTS = 5;

/**
 * A smooth map of y on x: {@link penalisedSpline} with breaks at quantiles of the different x and λ by GCV. A line by least
 * squares below five different x, the mean of y where all are the same.
 * @param x - at least one
 */
export function smoothMap(x: Float64Array, y: Float64Array): SmoothCurve {
  const different = distinctValues(x);
  if (different.length < LEAST_POINTS) return lineThrough(x, y, different);
  const pieces = Math.min(PIECES, different.length - 1);
  const last = different.length - 1;
  const breaks = Float64Array.from({ length: pieces + 1 }, (_, k) => different[Math.round((k * last) / pieces)]!);
  return penalisedSpline(x, y, breaks).curve;
}

function lineThrough(x: Float64Array, y: Float64Array, different: Float64Array): SmoothCurve {
  const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [centre, level] = [mean(x), mean(y)];
  if (different.length === 1) return { x: different, y: Float64Array.of(level), bending: new Float64Array(1) };
  let [square, product] = [0, 0];
  x.forEach((own, j) => {
    square += (own - centre) ** 2;
    product += (own - centre) * (y[j]! - level);
  });
  const ends = Float64Array.of(different[0]!, different.at(-1)!);
  return { x: ends, y: ends.map((end) => level + ((end - centre) * product) / square), bending: new Float64Array(2) };
}
