import { logit, sigmoid } from "../../../sdk/core/numeric/functions.ts";
import {
  type LinearMean,
  type LinearModel,
  linearPrediction,
  predictiveVariance,
} from "../../../sdk/core/numeric/linear-mean.ts";

/** A scenario's predictor for unseen questions: regressions to item parameters, and models' abilities. */
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
  readonly answers: readonly LinearMean[] | null;
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
  const values = Float64Array.from(parameters, (parameter) => linearPrediction(parameter, at));
  const variances = Float64Array.from(parameters, (parameter) => predictiveVariance(parameter, at));
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
      chances: Float64Array.from(answers, (model, m) =>
        scaledChance(possibleChance(linearPrediction(model, at)), shifts[m]!, slope),
      ),
      logitErrors: null,
    };
  const { a, b, aVariance, bVariance } = predictedParameters(scenario, at);
  const chances = new Float64Array(shifts.length);
  const logitErrors = new Float64Array(shifts.length);
  for (let m = 0; m < shifts.length; m++) {
    let [z, variance] = [-b, bVariance];
    for (let d = 0; d < dims; d++) {
      const ability = theta[m * dims + d]!;
      z += a[d]! * ability;
      variance += ability ** 2 * aVariance[d]!;
    }
    chances[m] = scaledChance(meanChance(z, variance), shifts[m]!, slope);
    logitErrors[m] = Math.sqrt(variance);
  }
  return { chances, logitErrors };
}

/** Probabilities are taken this far from 0 and 1. Chosen, not measured. */
const MARGIN = 1e-6;

/**
 * The mean of σ over a normal logit, near σ(z/√(1 + πv/8)).
 * @param z - mean of the logit @param variance - v ≥ 0; 0 gives σ(z)
 * @see MacKay (1992), Neural Computation 4, 720–736
 */
export function meanChance(z: number, variance: number): number {
  return sigmoid(z / Math.sqrt(1 + (Math.PI * variance) / 8));
}

/** logit of a probability that is kept 1e-6 away from 0 and 1. */
export function safeLogit(p: number): number {
  return logit(Math.min(1 - MARGIN, Math.max(MARGIN, p)));
}

/** logit p′ = shift + slope·logit p. @returns p′ in (0,1) */
export function scaledChance(p: number, shift: number, slope: number): number {
  return sigmoid(shift + slope * safeLogit(p));
}

/** Linear predictions of chances are kept this far from 0 and 1. Chosen, not measured. */
const LINEAR_MARGIN = 0.01;

/** A linear prediction of a chance, kept in [.01, .99]. */
export function possibleChance(value: number): number {
  return Math.min(1 - LINEAR_MARGIN, Math.max(LINEAR_MARGIN, value));
}

/**
 * The model of the largest probability less its penalty for every question, the first of equals.
 * @param probabilities - `[i·M + m]` @param penalties - by model, cost times weight
 * @example pickModels(Float64Array.of(0.6, 0.7), Float64Array.of(0, 0.2)) // the first model
 */
export function pickModels(probabilities: Float64Array, penalties: Float64Array): Uint32Array {
  const models = penalties.length;
  return Uint32Array.from({ length: probabilities.length / models }, (_, i) => {
    let best = 0;
    for (let m = 1; m < models; m++)
      if (probabilities[i * models + m]! - penalties[m]! > probabilities[i * models + best]! - penalties[best]!)
        best = m;
    return best;
  });
}
