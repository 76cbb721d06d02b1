import { factorPrecision, factorScores, precisionFactor, precisionWithout } from "./factor-scores.ts";
import type { AnchorFactors } from "./types.ts";

/** û of a model from its scores, aligned with the parts' rows; NaN = no answer. */
export type FactorSolver = (scores: readonly ArrayLike<number>[]) => Float64Array;

/**
 * {@link factorScores} of many models from answers to the same anchors. What follows from the anchors alone is solved
 * once: for a model that answered them all a product is left, for others the rows without an answer are taken out.
 * @param parts - factors of one scenario's anchors, or of several scenarios' where they are the same
 */
export function factorSolver(parts: readonly AnchorFactors[]): FactorSolver {
  const whole = parts.map((factors) => ({ factors, scores: new Float64Array(factors.mean.length) }));
  const precision = factorPrecision(whole);
  const factor = precisionFactor(whole, precision);
  return (scores) => {
    const answers = parts.map((factors, k) => ({ factors, scores: scores[k]! }));
    const missing = scores.some(hasMissing);
    return factorScores(answers, missing ? precisionFactor(answers, precisionWithout(precision, answers)) : factor);
  };
}

function hasMissing(scores: ArrayLike<number>): boolean {
  for (let j = 0; j < scores.length; j++) if (Number.isNaN(scores[j]!)) return true;
  return false;
}
