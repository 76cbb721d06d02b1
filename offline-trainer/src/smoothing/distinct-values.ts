/** Gap, relative to the range, below which two values are one: sums of the same numbers in another order differ by less. */
const SAME = 1e-9;

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
