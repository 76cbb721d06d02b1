import { partlyCorrectedMean, type SeenScores } from "anchoreval/core";
import type { BankEstimates } from "./target-estimator.ts";

/** Where a held-out model stood among the source models by the mean over all scenarios, and where it stands. */
export interface OverallPlace extends SeenScores {
  /** Mean of its partly corrected means. */
  readonly score: number;
  /** Mean of its full scores; NaN where one isn't known. */
  readonly truth: number;
}

/** Mean of the full scores over all scenarios, by row; NaN where one isn't known. */
export function overallScores(scores: readonly Float64Array[]): Float64Array {
  return scores[0]!.map((_, m) => scores.reduce((sum, own) => sum + own[m]! / scores.length, 0));
}

/** The range of those scores that are known. */
export function scoresSeen(scores: ArrayLike<number>): SeenScores {
  const known = Array.from(scores).filter((score) => !Number.isNaN(score));
  return { worst: Math.min(...known), best: Math.max(...known) };
}

/** A model's place by its estimates in all scenarios; null where one failed. */
export function overallPlace(estimates: BankEstimates, seen: SeenScores, truth: number): OverallPlace | null {
  const all = estimates.flat();
  const score = all.reduce((sum, own) => sum + (own ? partlyCorrectedMean(own.base) : NaN) / all.length, 0);
  return Number.isFinite(score) ? { ...seen, score, truth } : null;
}
