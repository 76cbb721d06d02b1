/** Fit of an item over models, or of a model over items. 1 is expected of a mean square. */
export interface MeanSquareFit {
  /** Answers that it is made of. */
  readonly answers: number;
  /** Σ r²/Σ PQ: answers where the item and the model match count most. NaN without answers. */
  readonly infit: number;
  /** Standard normal where the model holds. NaN where the answers leave no room for it. */
  readonly infitZ: number;
  /** mean of r²/PQ: unexpected answers far from the match count most. */
  readonly outfit: number;
  readonly outfitZ: number;
}

/**
 * Infit and outfit mean squares of residuals r = y − P, with z by Wilson & Hilferty's cube root,
 * z = (v^⅓ − 1)·3/q + q/3 for a mean square v of variance q².
 *
 * Mean squares are Wright & Masters's. Their z supposes true parameters; fitted ones follow the answers, so that
 * residuals are smaller than errors. z is therefore of the mean square over its expectation, in which every PQ counts
 * 1 − leverage; with no leverage it is theirs.
 * z is for answers that are right or wrong; scores in between vary less, and make it low.
 * @see Wright & Masters (1982), Rating Scale Analysis, ch. 5; Wilson & Hilferty (1931), PNAS 17, 684–688
 */
export class MeanSquares {
  #answers = 0;
  #squares = 0;
  #variance = 0;
  #expected = 0;
  #standardised = 0;
  #standardisedExpected = 0;
  #inverse = 0;
  #fourth = 0;

  /**
   * Counts an answer in.
   * @param score - the answer, in [0,1] @param p - its probability, in (0,1)
   * @param leverage - of all parameters on it, in [0,1)
   */
  add(score: number, p: number, leverage = 0): void {
    const variance = p * (1 - p);
    if (!(variance > 0)) return;
    const square = (score - p) ** 2;
    this.#answers++;
    this.#squares += square;
    this.#variance += variance;
    this.#expected += variance * (1 - leverage);
    this.#standardised += square / variance;
    this.#standardisedExpected += 1 - leverage;
    this.#inverse += 1 / variance;
    // Kurtosis of r: E r⁴ − (PQ)² = PQ·(1 − 4PQ).
    this.#fourth += variance * (1 - 4 * variance);
  }

  get fit(): MeanSquareFit {
    const n = this.#answers;
    const infit = this.#squares / this.#variance;
    const outfit = this.#standardised / n;
    const infitSpread = Math.sqrt(this.#fourth) / this.#variance;
    const outfitSpread = Math.sqrt(this.#inverse - 4 * n) / n;
    return {
      answers: n,
      infit,
      infitZ: wilsonHilferty(this.#squares / this.#expected, infitSpread),
      outfit,
      outfitZ: wilsonHilferty(this.#standardised / this.#standardisedExpected, outfitSpread),
    };
  }
}

/** Of a mean square with mean 1 and standard deviation `spread`. */
function wilsonHilferty(meanSquare: number, spread: number): number {
  return spread > 1e-9 ? (Math.cbrt(meanSquare) - 1) * (3 / spread) + spread / 3 : NaN;
}
