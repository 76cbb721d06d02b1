import type { SampledScore } from "../inference/design-interval.ts";
import { bernoulliVariance } from "../inference/sampling-variance.ts";
import type { BatchTotal } from "./batch-total.ts";

/** Sums over the batches so far: all that a running score and its interval need. */
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
  /** Answers so far. */
  readonly answers: number;
  /** Sum of their scores. */
  readonly right: number;
}

export const NO_SUMS: RunningSums = { weight: 0, total: 0, variance: 0, spread: 0, unit: 0, answers: 0, right: 0 };

/**
 * Adds a batch with the weight ω = m·N²/(R(R−m)), R items left before its m were drawn (R−m at least ½): the inverse of
 * the variance of m draws without replacement up to a constant. It depends on numbers of items alone, never on answers,
 * so the mean ΣωT/Σω is as unbiased as each T.
 * @param items - N
 * @param open - R
 * @param scores - the batch's; NaN = no answer
 */
export function addBatch(
  sums: RunningSums,
  batch: BatchTotal,
  items: number,
  open: number,
  scores: ArrayLike<number>,
): RunningSums {
  const own = Array.from(scores).filter((score) => !Number.isNaN(score));
  const weight = (scores.length * items * items) / (open * Math.max(0.5, open - scores.length));
  const variance = weight ** 2 * batch.variance;
  return {
    weight: sums.weight + weight,
    total: sums.total + weight * batch.total,
    variance: sums.variance + variance,
    spread: sums.spread + variance ** 2 / batch.degrees,
    unit: sums.unit + weight ** 2 * batch.unit,
    answers: sums.answers + own.length,
    right: sums.right + own.reduce((sum, score) => sum + score, 0),
  };
}

/** Weight of the binomial variance, in degrees of freedom, that the residuals' variance is shrunk toward. */
const BINOMIAL_DEGREES = 2;

/**
 * The score ΣωT/Σω with its variance Σω²V/(Σω)² and Satterthwaite's degrees of freedom, the variance shrunk toward the
 * one without a model as in `samplingVariance`.
 * @param bounds - what the answers prove
 */
export function runningScore(sums: RunningSums, bounds: SampledScore["bounds"]): SampledScore {
  const { weight, answers, right } = sums;
  const score = Math.min(bounds.high, Math.max(bounds.low, sums.total / weight));
  const degrees = sums.variance === 0 ? Infinity : sums.variance ** 2 / sums.spread;
  const variance = sums.variance / weight ** 2;
  const binomial = (bernoulliVariance(score, answers) * sums.unit) / weight ** 2;
  const known = Math.min(degrees, 2 * Math.min(right, answers - right));
  return {
    score,
    bounds,
    sampling: {
      variance: (known * variance + BINOMIAL_DEGREES * binomial) / (known + BINOMIAL_DEGREES),
      degrees: degrees + BINOMIAL_DEGREES,
      answers,
      right,
    },
  };
}
