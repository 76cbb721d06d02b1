import { abilityLeverage } from "./ability-covariances.ts";
import { probabilities, type FittedAnswers } from "./fitted-answers.ts";

/** One item at its fitted parameters, model by model: what every statistic of its fit is made from. */
export interface ItemAtFit {
  readonly item: number;
  /** +1 right, −1 wrong, 0 missing, length M. */
  readonly signs: Int8Array;
  /** P = σ(a·θ − b), length M. */
  readonly p: Float64Array;
  /** Leverage of each model's abilities on its own answer ({@link abilityLeverage}), length M. */
  readonly leverage: Float64Array;
  /** Information Σ_m PQ·x·xᵀ on (a_1 … a_D, b), with x = (θ, −1), abilities taken as known; row-major. */
  readonly information: Float64Array;
}

/** @param covariances - of {@link abilityCovariances} */
export function itemAtFit(answers: FittedAnswers, item: number, covariances: Float64Array): ItemAtFit {
  const { models, calibration } = answers;
  const { theta, dims } = calibration;
  const signs = answers.signs.subarray(item * models, (item + 1) * models);
  const p = probabilities(answers, item, new Float64Array(models));
  const size = dims + 1;
  const information = new Float64Array(size * size);
  const x = new Float64Array(size).fill(-1);
  for (let m = 0; m < models; m++) {
    if (signs[m] === 0) continue;
    const weight = p[m]! * (1 - p[m]!);
    for (let d = 0; d < dims; d++) x[d] = theta[m * dims + d]!;
    for (let r = 0; r < size; r++) {
      const product = weight * x[r]!;
      for (let c = 0, k = r * size; c <= r; c++, k++) information[k]! += product * x[c]!;
    }
  }
  for (let r = 0; r < size; r++) for (let c = 0; c < r; c++) information[c * size + r] = information[r * size + c]!;
  return { item, signs, p, leverage: abilityLeverage(answers, item, p, covariances), information };
}
