/** What a variance rests on: a scenario's answered items, and its share of the overall score. */
export interface VariancePart {
  /** W, the shares summing to 1. */
  readonly share: number;
  /** Variance of the scenario's own score or difference at `items`. */
  readonly variance: number;
  /** Items answered, n. */
  readonly items: number;
  /** Items that there are, N. */
  readonly of: number;
}

/**
 * Items more, in all scenarios together, at which a variance comes down to what is wanted, every scenario's number
 * growing by the same factor f: ΣW²·σ²·(1/min(fn, N) − 1/N) with σ² = V/(1/n − 1/N). The variance of a draw without
 * replacement is 0 where all items are asked, so there is always an answer.
 * @param wanted - variance, at least 0
 * @returns a whole number, 0 where it is reached already, at most Σ(N − n)
 * @example moreItems([{ share: 1, variance: 0.0016, items: 100, of: 1000 }], 0.0004) // 208
 */
export function moreItems(parts: readonly VariancePart[], wanted: number): number {
  const asked = (factor: number): number[] => parts.map(({ items, of }) => Math.min(of, factor * items));
  const variance = (factor: number): number =>
    asked(factor).reduce((sum, n, k) => {
      const { share, variance: own, items, of } = parts[k]!;
      return own === 0 || n >= of ? sum : sum + (share ** 2 * own * (1 / n - 1 / of)) / (1 / items - 1 / of);
    }, 0);
  if (variance(1) <= wanted) return 0;
  let low = 1;
  let high = Math.max(...parts.map(({ items, of }) => of / items));
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2;
    if (variance(middle) > wanted) low = middle;
    else high = middle;
  }
  return asked(high).reduce((sum, n, k) => sum + Math.ceil(n - parts[k]!.items - 1e-6), 0);
}
