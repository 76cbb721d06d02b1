import { factorPrecision, factorScores, precisionFactor, precisionWithout } from "./factor-scores.ts";
import type { AnchorFactors } from "./types.ts";

/** û of a model from its scores, aligned with the parts' rows; NaN = no answer. */
export type FactorSolver = (scores: readonly ArrayLike<number>[]) => Float64Array;

/**
 * {@link factorScores} of many models from answers to the same anchors. What follows from the anchors alone is solved
 * once, with the first model: for one that answered them all a product is left, for others the rows without an answer
 * are taken out.
 * @param parts - factors of one scenario's anchors, or of several scenarios' where they are the same
 */
export function factorSolver(parts: readonly AnchorFactors[]): FactorSolver {
  let solved: SolvedAnchors | null = null;
  return (scores) => {
    const { precision, factor } = (solved ??= solvedAnchors(parts));
    const answers = parts.map((factors, k) => ({ factors, scores: scores[k]! }));
    const missing = scores.some(hasMissing);
    return factorScores(answers, missing ? precisionFactor(answers, precisionWithout(precision, answers)) : factor);
  };
}

interface SolvedAnchors {
  readonly precision: ReturnType<typeof factorPrecision>;
  readonly factor: ReturnType<typeof precisionFactor>;
}

function solvedAnchors(parts: readonly AnchorFactors[]): SolvedAnchors {
  const whole = parts.map((factors) => ({ factors, scores: new Float64Array(factors.mean.length) }));
  const precision = factorPrecision(whole);
  return { precision, factor: precisionFactor(whole, precision) };
}

function hasMissing(scores: ArrayLike<number>): boolean {
  for (let j = 0; j < scores.length; j++) if (Number.isNaN(scores[j]!)) return true;
  return false;
}
