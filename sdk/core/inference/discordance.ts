/** How the raw answers of two models to the same items differ. */
export interface Discordance {
  /** Items answered by both. */
  readonly items: number;
  /** Items on which A's score is the higher, and by how much in all. */
  readonly aHigher: number;
  readonly aAhead: number;
  /** Items on which B's score is the higher, and by how much in all. */
  readonly bHigher: number;
  readonly bAhead: number;
}

/**
 * Counts the items on which two models' scores differ; with scores of 0 and 1 `aAhead` is `aHigher`.
 * @param a - scores in [0,1], aligned with `b`; no missing ones
 * @example discordance([1, 0, 1], [1, 1, 0]).bHigher // 1
 */
export function discordance(a: ArrayLike<number>, b: ArrayLike<number>): Discordance {
  let [aHigher, aAhead, bHigher, bAhead] = [0, 0, 0, 0];
  for (let j = 0; j < a.length; j++) {
    const gap = b[j]! - a[j]!;
    if (gap > 0) {
      bHigher++;
      bAhead += gap;
    } else if (gap < 0) {
      aHigher++;
      aAhead -= gap;
    }
  }
  return { items: a.length, aHigher, aAhead, bHigher, bAhead };
}

/** Discordances of several scenarios together. */
export function addDiscordances(parts: readonly Discordance[]): Discordance {
  const sum = (term: (part: Discordance) => number): number => parts.reduce((total, part) => total + term(part), 0);
  return {
    items: sum((part) => part.items),
    aHigher: sum((part) => part.aHigher),
    aAhead: sum((part) => part.aAhead),
    bHigher: sum((part) => part.bHigher),
    bAhead: sum((part) => part.bAhead),
  };
}
