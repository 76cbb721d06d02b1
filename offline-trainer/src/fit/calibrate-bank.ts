import { AnchorEvalError } from "anchoreval/core";
import { calibrate, type CalibrationStep } from "../calibrate/calibrate.ts";
import { calibrateMarginal } from "../calibrate/marginal/calibrate-marginal.ts";
import type { MarginalModel } from "../calibrate/marginal/types.ts";
import type { KnownItems } from "../calibrate/known-items.ts";
import type { CalibrationBackend, Responses } from "../calibrate/types.ts";
import type { RandomSource } from "anchoreval/core";

/** How a bank is calibrated. */
export interface BankModel {
  readonly irtModel: MarginalModel;
  /** `penalised`: abilities and items together, in any dimensions; `marginal`: abilities integrated out, in one. */
  readonly estimation: "penalised" | "marginal";
}

/** A calibrated bank, whichever way: items' parameters, abilities of the sources, and how the search ended. */
export interface BankCalibration {
  readonly dims: number;
  /** Abilities, M×D row-major. */
  readonly theta: Float64Array;
  /** Discriminations, N×D row-major. */
  readonly a: Float64Array;
  /** Intercepts, N. */
  readonly b: Float64Array;
  /** Asymptotes, N; null for models without. */
  readonly lower: Float64Array | null;
  readonly upper: Float64Array | null;
  /** Distribution of the abilities: what marginal estimation assumes; null where the sources' own moments stand. */
  readonly population: { readonly mean: Float64Array; readonly covariance: Float64Array } | null;
  /** What was minimised, in nats: the penalised (or marginal penalised) negative log-likelihood. */
  readonly value: number;
  readonly gradientNorm: number;
  readonly evaluations: number;
  readonly converged: boolean;
}

export interface CalibrateBankOptions extends BankModel {
  readonly dims: number;
  readonly shrinkage: number;
  readonly backend: CalibrationBackend;
  readonly random: RandomSource;
  readonly calibrator: typeof calibrate;
  /** Items that keep their parameters: abilities and the others are then found together, whatever the estimation. */
  readonly known?: KnownItems;
  readonly tolerance?: number;
  readonly onStep?: (step: CalibrationStep) => void;
  readonly signal?: AbortSignal;
}

/**
 * Calibrates a bank's responses by its model.
 * @throws AnchorEvalError `unsupported` for graded responses or several dimensions by marginal estimation
 */
export async function calibrateBank(responses: Responses, options: CalibrateBankOptions): Promise<BankCalibration> {
  const {
    irtModel,
    estimation,
    dims,
    shrinkage,
    backend,
    random,
    calibrator,
    tolerance,
    known: items,
    onStep,
    signal,
  } = options;
  if (estimation === "penalised" || items) {
    const fit = await calibrator(responses, {
      dims,
      shrinkage,
      backend,
      random,
      ...(items && { known: items }),
      ...(onStep && { onStep }),
      ...(signal && { signal }),
    });
    const { theta, a, b, value, gradientNorm, evaluations, converged } = fit;
    return {
      dims,
      theta,
      a,
      b,
      lower: null,
      upper: null,
      population: null,
      value,
      gradientNorm,
      evaluations,
      converged,
    };
  }
  if (!("signs" in responses) || dims !== 1)
    throw new AnchorEvalError(
      "unsupported",
      `marginal estimation takes scores of 0 and 1 (or binarised ones) and one dimension, not ${dims === 1 ? "graded scores" : `${dims} dimensions`}: --estimation penalised takes both`,
    );
  const fit = await calibrateMarginal(responses, {
    model: irtModel,
    ...(tolerance !== undefined && { tolerance }),
    ...(onStep && {
      onStep: ({ iteration, logPosterior }) =>
        onStep({ round: 0, evaluations: iteration, share: iteration / (iteration + 20), value: -logPosterior }),
    }),
    ...(signal && { signal }),
  });
  return {
    dims: 1,
    theta: fit.theta,
    a: known(fit.a),
    b: known(fit.b),
    lower: irtModel === "3pl" || irtModel === "4pl" ? known(fit.lower) : null,
    upper: irtModel === "4pl" ? known(fit.upper) : null,
    population: { mean: Float64Array.of(0), covariance: Float64Array.of(1) },
    value: -fit.logPosterior,
    gradientNorm: fit.gradientNorm,
    evaluations: fit.evaluations,
    converged: fit.converged,
  };
}

/** Parameters with the others' mean for an item that no source answered. */
function known(values: Float64Array): Float64Array {
  const own = values.filter((value) => !Number.isNaN(value));
  const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
  return values.map((value) => (Number.isNaN(value) ? mean : value));
}
