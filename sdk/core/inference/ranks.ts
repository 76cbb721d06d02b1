import type { Bounds } from "../estimators/answered-sample.ts";
import { normalQuantile } from "../numeric/distributions.ts";

/**
 * Simultaneous intervals of the ranks of k models: with probability 1 − α at least, all of them hold together. All
 * k(k−1) one-sided claims "i is better than j" are tested together by Holm's steps, which need no assumption on how the
 * differences depend on each other. Model i of rank 1 (the best) to k stands behind those that are found better, and before those found worse:
 * [1 + #better, k − #worse].
 * @param pValue - one-sided p-value of the claim that model i is better than model j
 * @param count - models k, at least 1
 * @param level - simultaneous confidence 1 − α in (0,1)
 * @see Holm (1979), Scandinavian Journal of Statistics 6, 65–70; Mogstad, Romano, Shaikh & Wilhelm (2024), Review of
 * Economic Studies 91, 476–518
 * @example rankIntervals((i, j) => (i < j ? 0.001 : 0.999), 2, 0.95)[0] // { low: 1, high: 1 }
 */
export function rankIntervals(pValue: (i: number, j: number) => number, count: number, level: number): Bounds[] {
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

/**
 * The smallest true gap between two models that their estimates rank right with a given chance: z·SE, z the normal
 * quantile. At a share of 0.8 it is the "minimum detectable ability difference", MDAD.
 * @param standardError - of the paired difference, a fraction
 * @param share - chance of the right order, in (½,1)
 * @returns a fraction
 * @see arXiv 2510.08730
 * @example rankedGap(0.05, 0.8) // ≈ 0.0421
 */
export function rankedGap(standardError: number, share: number): number {
  return normalQuantile(share) * standardError;
}

/** Where a model's full score lies against those of the source models. */
export type ScoreRange = "inside" | "edge" | "outside";

/**
 * Where a model lies by the chances that its full score is above and below all models' seen: inside below .05, edge up to .5,
 * outside above, by how much the one exceeds the other. Where the models seen lie closer together than an estimate can
 * tell, both are large, and a score in their midst is like theirs.
 */
export function scoreRange({ above, below }: { above: number; below: number }): ScoreRange {
  const chance = Math.abs(above - below);
  return chance < 0.05 ? "inside" : chance <= 0.5 ? "edge" : "outside";
}

/** Share of source models with a lower full score (ties count half), in [0,1]; null where all have the same. */
export function percentile(score: number, sourceScores: ArrayLike<number>): number | null {
  if (sourceScores[0] === sourceScores[sourceScores.length - 1]) return null;
  let below = 0;
  for (let i = 0; i < sourceScores.length; i++)
    below += sourceScores[i]! < score ? 1 : sourceScores[i]! === score ? 0.5 : 0;
  return below / sourceScores.length;
}
