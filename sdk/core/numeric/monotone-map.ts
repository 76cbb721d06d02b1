/** A non-decreasing piecewise-linear map through knots (x ascending), constant outside them. */
export interface MonotoneMap {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/**
 * Value of a monotone map.
 * @example applyMonotoneMap({ x: Float64Array.of(0, 1), y: Float64Array.of(0, 0.5) }, 0.5) // 0.25
 */
export function applyMonotoneMap(map: MonotoneMap, value: number): number {
  const { x, y } = map;
  const last = x.length - 1;
  if (value <= x[0]!) return y[0]!;
  if (value >= x[last]!) return y[last]!;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle]! <= value) low = middle;
    else high = middle;
  }
  const share = (value - x[low]!) / (x[high]! - x[low]!);
  return y[low]! + share * (y[high]! - y[low]!);
}
