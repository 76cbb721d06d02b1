import { collapsedVariance, type KnownVariance } from "../../../sdk/core/inference/sampling-variance.ts";

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

/** ΣωT/Σω over at least one batch, Σω²V/(Σω)² with Satterthwaite's degrees of freedom, and Σω²u/(Σω)². */
export function runningTotal({ weight, total, variance, spread, unit }: RunningSums): {
  readonly total: number;
  readonly sampling: KnownVariance;
  readonly unit: number;
} {
  return {
    total: total / weight,
    sampling: { variance: variance / weight ** 2, degrees: variance === 0 ? Infinity : variance ** 2 / spread },
    unit: unit / weight ** 2,
  };
}

/** Predictions of one model's score and of its answers to a batch, made when the batch was drawn. */
export interface BatchForecast {
  /** Σ_asked wᵢyᵢ + Σ_open wᵢp̂ᵢ: the score if all predictions were right. */
  readonly score: number;
  /** p̂ of the batch's items. */
  readonly expected: ArrayLike<number>;
}

/** An estimate of the full score from one batch. */
interface BatchTotal extends KnownVariance {
  /** Unbiased given everything before the batch was drawn; may leave [0,1]. */
  readonly total: number;
  /** Σ(w/π)²(1−π): the variance were every answer's 1. */
  readonly unit: number;
}

/**
 * Difference estimator of the full score from one batch: what is known, the predictions of all else, and the batch's
 * residuals by their probabilities,
 *
 *   T = Σ_asked wᵢyᵢ + Σ_open wᵢp̂ᵢ + Σ_batch wᵢ(yᵢ − p̂ᵢ)/πᵢ.
 *
 * With p̂ and π made before the batch's answers, E[T | past] = S whatever the predictions are worth; good ones make its
 * variance small. The variance is that of collapsed neighbouring strata; a single drawn answer says nothing of it, and
 * gets its bound. Items without an answer are taken to be missing at random within the batch: the others count for them.
 * @param weights - of the batch's items in the score
 * @param inclusion - π of the batch's items, aligned
 * @param scores - aligned; NaN = no answer
 * @returns null where nothing of the batch was answered
 * @see Särndal, Swensson & Wretman (1992), §6.3 (difference estimator); Des Raj (1956), JASA 51, 269–284 (draws that
 * take what came before as known)
 */
export function batchTotal(
  forecast: BatchForecast,
  weights: ArrayLike<number>,
  inclusion: ArrayLike<number>,
  scores: ArrayLike<number>,
): BatchTotal | null {
  const answered = Array.from({ length: scores.length }, (_, j) => j).filter((j) => !Number.isNaN(scores[j]!));
  if (answered.length === 0) return null;
  const rate = answered.length / scores.length;
  const reached = Float64Array.from(answered, (j) => inclusion[j]! * rate);
  const mass = Float64Array.from(answered, (j, k) => weights[j]! / reached[k]!);
  const residuals = Float64Array.from(answered, (j) => scores[j]! - forecast.expected[j]!);
  let { score: total } = forecast;
  for (let k = 0; k < mass.length; k++) total += mass[k]! * residuals[k]!;
  const collapsed = collapsedVariance(residuals, mass, reached);
  if (collapsed !== null) return { total, ...collapsed };
  let unit = 0;
  for (let k = 0; k < mass.length; k++) unit += mass[k]! ** 2 * (1 - reached[k]!);
  return { total, variance: unit, degrees: 1, unit };
}
