import type { RandomSource } from "anchoreval/core";

/** Share of a pool that a group has. */
const SHARE = 0.75;

/** Parts of a pool that are searched apart. */
export const GROUPS = ["high", "low", "random"] as const;

/**
 * Three overlapping parts of a pool, each three quarters of it and at least k items: those of the highest importance, of
 * the lowest, and random ones. Items that are equally important come in random order.
 * @param importance - of every item of the scenario
 * @returns items, ascending
 * @see arXiv 2510.10457, §3
 */
export function regroup(
  pool: Uint32Array,
  importance: Float64Array,
  k: number,
  random: RandomSource,
): Record<(typeof GROUPS)[number], Uint32Array> {
  const count = Math.max(k, Math.ceil(SHARE * pool.length));
  const shuffled = random.shuffle(Array.from(pool));
  const ranked = shuffled.toSorted((x, y) => importance[y]! - importance[x]!);
  const part = (items: readonly number[]): Uint32Array => Uint32Array.from(items).sort();
  return {
    high: part(ranked.slice(0, count)),
    low: part(ranked.slice(-count)),
    random: part(random.shuffle(shuffled).slice(0, count)),
  };
}
