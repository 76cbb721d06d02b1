import { meanChance, scaledChance } from "./chance.ts";
import { linearPrediction, predictiveVariance, type LinearModel } from "./linear-prediction.ts";

/** What foretells the answers to a scenario's unseen questions: regressions to item parameters, and models' abilities. */
export interface ScenarioRouting {
  readonly dims: number;
  /** C means of the coordinates. */
  readonly center: Float32Array;
  /** C×R row-major: coordinates less the means, times it, are places on the axes of the regressions. */
  readonly axes: Float32Array;
  /** Of the D discriminations, then of the intercept. */
  readonly parameters: readonly LinearModel[];
  /** Source models, by their index in the bundle's names. */
  readonly models: Uint32Array;
  /** Their abilities, M×D row-major. */
  readonly theta: Float64Array;
  /** Scales chances: logit p′ = shift_m + slope·logit p. */
  readonly slope: number;
  readonly shifts: Float64Array;
}

/** A question's item parameters with their predictive variances, errors of parameters being independent. */
export interface PredictedParameters {
  readonly a: Float64Array;
  readonly b: number;
  readonly aVariance: Float64Array;
  readonly bVariance: number;
}

/** Item parameters of a question. @param coordinates - C numbers; null for a text that says nothing: those of the mean */
export function predictedParameters(
  { dims, center, axes, parameters }: ScenarioRouting,
  coordinates: ArrayLike<number> | null,
): PredictedParameters {
  const rank = axes.length / center.length;
  const at = new Float64Array(rank);
  if (coordinates !== null)
    for (let c = 0; c < center.length; c++)
      for (let k = 0; k < rank; k++) at[k] = at[k]! + (coordinates[c]! - center[c]!) * axes[c * rank + k]!;
  const values = Float64Array.from(parameters, (own) => linearPrediction(own, at));
  const variances = Float64Array.from(parameters, (own) => predictiveVariance(own, at));
  return {
    a: values.subarray(0, dims),
    b: values[dims]!,
    aVariance: variances.subarray(0, dims),
    bVariance: variances[dims]!,
  };
}

/** Every model's scaled chance of a right answer, and the standard deviation of its logit before scaling. */
export function modelChances(
  { dims, theta, slope, shifts }: ScenarioRouting,
  { a, b, aVariance, bVariance }: PredictedParameters,
): { chances: Float64Array; logitErrors: Float64Array } {
  const chances = new Float64Array(shifts.length);
  const logitErrors = new Float64Array(shifts.length);
  for (let m = 0; m < shifts.length; m++) {
    let [z, variance] = [-b, bVariance];
    for (let d = 0; d < dims; d++) {
      const own = theta[m * dims + d]!;
      z += a[d]! * own;
      variance += own ** 2 * aVariance[d]!;
    }
    chances[m] = scaledChance(meanChance(z, variance), shifts[m]!, slope);
    logitErrors[m] = Math.sqrt(variance);
  }
  return { chances, logitErrors };
}
