import type { Points } from "../../clustering/nearest-centroids.ts";

/** Coordinates about the points' mean, of at most 1 where points are: rounding is least there. */
export interface CentredSpace {
  /** Rows of equal length, moved there: (x − mean)·scale. */
  move(values: Float64Array): Float64Array;
}

/** Spreads of points within which the squares of the plain sums neither overflow nor vanish. */
const SPREADS = [2 ** -400, 2 ** 400] as const;

/**
 * The space of some points; coordinates that aren't finite have no say in it. The scale is a power of two, which costs
 * no digit.
 * @returns null where the points are all the same, or so far or so little apart that squares fail in float64
 */
export function centredSpace({ count, dims, values }: Points): CentredSpace | null {
  const sum = new Float64Array(dims);
  const finite = new Float64Array(dims);
  for (let at = 0; at < count * dims;)
    for (let d = 0; d < dims; d++) {
      const value = values[at++]!;
      if (!Number.isFinite(value)) continue;
      sum[d] = sum[d]! + value;
      finite[d] = finite[d]! + 1;
    }
  const mean = sum.map((total, d) => total / Math.max(1, finite[d]!));
  let spread = 0;
  for (let at = 0; at < count * dims;)
    for (let d = 0; d < dims; d++) {
      const gap = Math.abs(values[at++]! - mean[d]!);
      if (gap > spread && gap < Infinity) spread = gap;
    }
  if (!(spread > SPREADS[0] && spread < SPREADS[1])) return null;
  const scale = 2 ** -Math.ceil(Math.log2(spread));
  return {
    move: (own) => {
      const moved = new Float64Array(own.length);
      for (let at = 0; at < own.length;) for (let d = 0; d < dims; d++, at++) moved[at] = (own[at]! - mean[d]!) * scale;
      return moved;
    },
  };
}

/** Length of every row; not finite where a coordinate isn't. */
export function lengths(values: Float64Array, dims: number): Float64Array {
  const result = new Float64Array(values.length / dims);
  for (let row = 0, at = 0; row < result.length; row++) {
    let square = 0;
    for (let d = 0; d < dims; d++, at++) square += values[at]! * values[at]!;
    result[row] = Math.sqrt(square);
  }
  return result;
}
