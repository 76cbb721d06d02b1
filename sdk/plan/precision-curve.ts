/** A standard error, or a half-width, at a number of items. */
export interface CurvePoint {
  readonly items: number;
  readonly value: number;
}

/**
 * A precision between and beyond the sizes at which it was measured. Without replacement a squared error is
 * σ²(1/n − 1/N); σ² itself changes slowly with n, and is interpolated linearly in log n between the measured sizes and kept
 * beyond them.
 * @param points - measured values at n < N, any order; of one size the squares are averaged
 * @param open - 1/n − 1/N at a size, or a sum of such; 0 where every item is asked
 * @returns the value at any size; null without points
 */
export function precisionCurve(
  points: readonly CurvePoint[],
  open: (items: number) => number,
): {
  at(items: number): number;
  readonly smallest: number;
  readonly largest: number;
  measured(items: number): boolean;
} | null {
  const bySize = new Map<number, number[]>();
  for (const { items, value } of points)
    if (open(items) > 0) bySize.set(items, [...(bySize.get(items) ?? []), value ** 2 / open(items)]);
  const known = [...bySize]
    .map(([items, variances]) => ({ items, variance: variances.reduce((sum, v) => sum + v, 0) / variances.length }))
    .sort((x, y) => x.items - y.items);
  if (known.length === 0) return null;
  const variance = (items: number): number => {
    const next = known.findIndex((point) => point.items >= items);
    if (next === 0) return known[0]!.variance;
    if (next < 0) return known.at(-1)!.variance;
    const [low, high] = [known[next - 1]!, known[next]!];
    const share = Math.log(items / low.items) / Math.log(high.items / low.items);
    return low.variance + share * (high.variance - low.variance);
  };
  return {
    at: (items) => Math.sqrt(variance(items) * Math.max(0, open(items))),
    smallest: known[0]!.items,
    largest: known.at(-1)!.items,
    measured: (items) => bySize.has(items),
  };
}
