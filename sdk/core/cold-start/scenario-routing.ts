import { meanChance, possibleChance, scaledChance } from "./chance.ts";
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
  /** Chances straight from the place on the axes, by model; null: from item parameters and abilities. */
  readonly answers: readonly Pick<LinearModel, "mean" | "coefficients">[] | null;
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

/** Where a question lies on a scenario's axes. @param coordinates - C numbers; null for a text that says nothing: the mean */
export function placeOnAxes(
  { center, axes }: Pick<ScenarioRouting, "center" | "axes">,
  coordinates: ArrayLike<number> | null,
): Float64Array {
  const rank = axes.length / center.length;
  const at = new Float64Array(rank);
  if (coordinates !== null)
    for (let c = 0; c < center.length; c++)
      for (let k = 0; k < rank; k++) at[k] = at[k]! + (coordinates[c]! - center[c]!) * axes[c * rank + k]!;
  return at;
}

/** Item parameters of a question. @param at - its place on the axes */
export function predictedParameters(
  { dims, parameters }: Pick<ScenarioRouting, "dims" | "parameters">,
  at: Float64Array,
): PredictedParameters {
  const values = Float64Array.from(parameters, (own) => linearPrediction(own, at));
  const variances = Float64Array.from(parameters, (own) => predictiveVariance(own, at));
  return {
    a: values.subarray(0, dims),
    b: values[dims]!,
    aVariance: variances.subarray(0, dims),
    bVariance: variances[dims]!,
  };
}

/**
 * Every model's scaled chance of a right answer, and the standard deviation of its logit before scaling; null where
 * chances don't come from item parameters.
 * @param at - the question's place on the axes
 */
export function modelChances(
  scenario: ScenarioRouting,
  at: Float64Array,
): { chances: Float64Array; logitErrors: Float64Array | null } {
  const { dims, theta, slope, shifts, answers } = scenario;
  if (answers !== null)
    return {
      chances: Float64Array.from(answers, (own, m) =>
        scaledChance(possibleChance(linearPrediction(own, at)), shifts[m]!, slope),
      ),
      logitErrors: null,
    };
  const { a, b, aVariance, bVariance } = predictedParameters(scenario, at);
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
