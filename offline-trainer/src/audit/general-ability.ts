import { logit } from "anchoreval/core";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import { probabilities, type FittedAnswers } from "./fitted-answers.ts";

/**
 * Each model's standing in a scenario as one number: the logit of the score that its abilities predict over all items,
 * answered or not, standardised over models.
 * @returns M numbers with mean 0 and standard deviation 1; all 0 where the models are alike
 */
export function generalAbility(answers: FittedAnswers, { begin, count, weights }: ScenarioSlice): Float64Array {
  const { models } = answers;
  const score = new Float64Array(models);
  const p = new Float64Array(models);
  for (let i = 0; i < count; i++) {
    probabilities(answers, begin + i, p);
    for (let m = 0; m < models; m++) score[m]! += weights[i]! * p[m]!;
  }
  const standing = score.map((own) => logit(Math.min(1 - 1e-12, Math.max(1e-12, own))));
  const mean = standing.reduce((sum, own) => sum + own / models, 0);
  const spread = Math.sqrt(standing.reduce((sum, own) => sum + (own - mean) ** 2 / models, 0));
  return standing.map((own) => (spread > 1e-9 ? (own - mean) / spread : 0));
}

/** How steeply an item's logit rises with general ability: the regression over models, and its standard error. */
export interface GeneralSlope {
  readonly slope: number;
  readonly standardError: number;
}

/**
 * Slope of an item's logit on the general ability x: v·a with v = Σ_m (x − x̄)·θ / Σ_m (x − x̄)², so that in several
 * dimensions too one number says whether stronger models get the item more often.
 * @param covariance - of the item's parameters ({@link itemCovariance})
 */
export function generalSlope(
  { calibration }: FittedAnswers,
  item: number,
  loading: Float64Array,
  covariance: Float64Array,
): GeneralSlope {
  const { a, dims } = calibration;
  let slope = 0;
  let variance = 0;
  for (let r = 0; r < dims; r++) {
    slope += loading[r]! * a[item * dims + r]!;
    for (let c = 0; c < dims; c++) variance += loading[r]! * covariance[r * (dims + 1) + c]! * loading[c]!;
  }
  return { slope, standardError: Math.sqrt(variance) };
}

/** v of {@link generalSlope}: how abilities move with the general one, D numbers. */
export function generalLoading({ models, calibration }: FittedAnswers, general: Float64Array): Float64Array {
  const { theta, dims } = calibration;
  const squares = general.reduce((sum, own) => sum + own * own, 0);
  const out = new Float64Array(dims);
  if (squares === 0) return out;
  for (let m = 0; m < models; m++)
    for (let d = 0; d < dims; d++) out[d]! += (general[m]! * theta[m * dims + d]!) / squares;
  return out;
}
