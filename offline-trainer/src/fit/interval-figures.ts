/** An interval of a score, as fractions. */
export interface ScoreInterval {
  readonly low: number;
  readonly high: number;
}

/** Rounding of a score that an interval may miss by. */
const ROUNDING = 1e-12;

/** Whether an interval holds the truth; one that ends in it does, but for rounding. */
export function holdsTruth({ low, high }: ScoreInterval, truth: number): boolean {
  return low <= truth + ROUNDING && truth <= high + ROUNDING;
}

/**
 * Winkler's score of an interval: its width, and 2/α times whatever the truth lies outside; less is better, and telling
 * the true quantiles makes it least on average.
 * @param level - 1 − α, in (0,1)
 * @see Winkler (1972), JASA 67, 187–191; Gneiting & Raftery (2007), JASA 102, 359–378, §6.2
 * @example winklerScore({ low: 0.4, high: 0.6 }, 0.65, 0.95) // ≈ 0.2 + 40 · 0.05 = 2.2
 */
export function winklerScore({ low, high }: ScoreInterval, truth: number, level: number): number {
  return high - low + (2 / (1 - level)) * Math.max(0, low - truth, truth - high);
}
