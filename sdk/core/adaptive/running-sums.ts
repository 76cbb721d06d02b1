import type { KnownVariance } from "../inference/satterthwaite.ts";
import type { BatchTotal } from "./batch-total.ts";

/** Sums over the batches so far: all that a running total and its variance need. */
export interface RunningSums {
  /** Σ ω. */
  readonly weight: number;
  /** Σ ω·T. */
  readonly total: number;
  /** Σ ω²·V. */
  readonly variance: number;
  /** Σ (ω²V)²/ν. */
  readonly spread: number;
  /** Σ ω²·u, the variance were every answer's 1. */
  readonly unit: number;
}

export const NO_SUMS: RunningSums = { weight: 0, total: 0, variance: 0, spread: 0, unit: 0 };

/**
 * Adds a batch with the weight ω = m·N²/(R(R−m)), R items left before its m were drawn (R−m at least ½): the inverse of
 * the variance of m draws without replacement up to a constant. It depends on numbers of items alone, never on answers,
 * so the mean ΣωT/Σω is as unbiased as each T.
 * @param items - N
 * @param open - R
 * @param size - m
 */
export function addBatch(sums: RunningSums, batch: BatchTotal, items: number, open: number, size: number): RunningSums {
  const weight = (size * items * items) / (open * Math.max(0.5, open - size));
  const variance = weight ** 2 * batch.variance;
  return {
    weight: sums.weight + weight,
    total: sums.total + weight * batch.total,
    variance: sums.variance + variance,
    spread: sums.spread + variance ** 2 / batch.degrees,
    unit: sums.unit + weight ** 2 * batch.unit,
  };
}

/** A running total ΣωT/Σω and what is known of its variance. */
export interface RunningTotal {
  readonly total: number;
  /** Σω²V/(Σω)², with Satterthwaite's degrees of freedom. */
  readonly sampling: KnownVariance;
  /** Σω²u/(Σω)². */
  readonly unit: number;
}

/** The mean over the batches; at least one is there. */
export function runningTotal({ weight, total, variance, spread, unit }: RunningSums): RunningTotal {
  return {
    total: total / weight,
    sampling: { variance: variance / weight ** 2, degrees: variance === 0 ? Infinity : variance ** 2 / spread },
    unit: unit / weight ** 2,
  };
}
