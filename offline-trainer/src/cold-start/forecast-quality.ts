/** Bins of equal width for the calibration error. */
const BINS = 10;
/** Probabilities are taken this far from 0 and 1, so that one sure miss isn't infinitely bad. */
const MARGIN = 1e-6;

/** How well probabilities foretell answers of 0 and 1, over all cells that have an answer. */
export interface ForecastQuality {
  readonly cells: number;
  /** Mean (p − y)², in [0,1]. */
  readonly brier: number;
  /** Mean −log of the probability of what came, in nats. */
  readonly logLoss: number;
  /** Σ_bins share of cells·|mean p − mean y|, ten bins of equal width, in [0,1]. */
  readonly calibrationError: number;
}

/**
 * Brier score, log loss and expected calibration error; null where there is no answer.
 * @see Brier (1950), Monthly Weather Review 78, 1–3; Naeini, Cooper & Hauskrecht (2015), AAAI (the calibration error)
 * @example forecastQuality(Float64Array.of(0.8), Float64Array.of(1))?.brier // ≈ 0.04
 */
export function forecastQuality(probabilities: Float64Array, answers: Float64Array): ForecastQuality | null {
  let [cells, squares, losses] = [0, 0, 0];
  const sums = new Float64Array(BINS);
  probabilities.forEach((p, at) => {
    const answer = answers[at]!;
    if (Number.isNaN(answer)) return;
    const kept = Math.min(1 - MARGIN, Math.max(MARGIN, p));
    const bin = Math.min(BINS - 1, Math.floor(p * BINS));
    cells++;
    squares += (p - answer) ** 2;
    losses -= answer === 1 ? Math.log(kept) : Math.log1p(-kept);
    sums[bin] = sums[bin]! + p - answer;
  });
  if (cells === 0) return null;
  return {
    cells,
    brier: squares / cells,
    logLoss: losses / cells,
    calibrationError: sums.reduce((sum, own) => sum + Math.abs(own), 0) / cells,
  };
}
