/** Places that a model may have among k, 1 the best. */
export interface RankInterval {
  readonly low: number;
  readonly high: number;
}

/**
 * Simultaneous intervals of the ranks of k models: with probability 1 − α at least, all of them hold together. All
 * k(k−1) one-sided claims "i is better than j" are tested together by Holm's steps, which need no assumption on how the
 * differences depend on each other. Model i stands behind those that are found better, and before those found worse:
 * [1 + #better, k − #worse].
 * @param pValue - one-sided p-value of the claim that model i is better than model j
 * @param count - models k, at least 1
 * @param level - simultaneous confidence 1 − α in (0,1)
 * @see Holm (1979), Scandinavian Journal of Statistics 6, 65–70; Mogstad, Romano, Shaikh & Wilhelm (2024), Review of
 * Economic Studies 91, 476–518
 * @example rankIntervals((i, j) => (i < j ? 0.001 : 0.999), 2, 0.95)[0] // { low: 1, high: 1 }
 */
export function rankIntervals(pValue: (i: number, j: number) => number, count: number, level: number): RankInterval[] {
  const claims: { i: number; j: number; p: number }[] = [];
  for (let i = 0; i < count; i++) for (let j = 0; j < count; j++) if (i !== j) claims.push({ i, j, p: pValue(i, j) });
  claims.sort((left, right) => left.p - right.p);
  const better = new Uint32Array(count);
  const worse = new Uint32Array(count);
  for (const [step, { i, j, p }] of claims.entries()) {
    if (!(p <= (1 - level) / (claims.length - step))) break;
    better[j]!++;
    worse[i]!++;
  }
  return Array.from(better, (above, i) => ({ low: 1 + above, high: count - worse[i]! }));
}
