import { AnchorEvalError, type RandomSource } from "anchoreval/core";
import { canonicalRotation } from "./canonical-rotation.ts";
import { minimizeLbfgs } from "./lbfgs.ts";
import { initialScales, updateScales, type Scales } from "./scales.ts";
import { shares, startingValues } from "./starting-values.ts";
import type { CalibrationBackend, CodedResponses, Parameters } from "./types.ts";

export interface CalibrateOptions {
  /** Latent dimensions D. */
  readonly dims: number;
  readonly backend: CalibrationBackend;
  readonly random: RandomSource;
  /** Rounds of optimisation, the scales learned between them. @default 4 */
  readonly rounds?: number;
  /** Gradient evaluations of one round at most. @default 60 */
  readonly maxEvaluations?: number;
  /** @default 1e-6 */
  readonly tolerance?: number;
  readonly onStep?: (step: CalibrationStep) => void;
  readonly signal?: AbortSignal;
}

export interface CalibrationStep {
  readonly round: number;
  readonly evaluations: number;
  /** Penalised negative log-likelihood, in nats. */
  readonly value: number;
}

/** A calibration with its own diagnosis. */
export interface Calibration extends Parameters {
  readonly dims: number;
  readonly scales: Scales;
  /** Penalised negative log-likelihood at the end, in nats. */
  readonly value: number;
  readonly gradientNorm: number;
  readonly evaluations: number;
  readonly converged: boolean;
}

/**
 * Calibrates the multidimensional 2PL, logit P = a·θ − b, by penalised maximum likelihood with hierarchical Gaussian
 * priors: θ ~ N(0, I), a_d ~ N(μ_d, σ_d²), b ~ N(μ_b, σ_b²), whose means and scales are learned between rounds of
 * L-BFGS (empirical Bayes). A dimension that the data don't need loses its scale.
 * The result is rotated by a fixed rule ({@link canonicalRotation}), so that reruns agree.
 * @throws AnchorEvalError `aborted`
 */
export async function calibrate(responses: CodedResponses, options: CalibrateOptions): Promise<Calibration> {
  const { dims, backend, random, rounds = 4, maxEvaluations = 60, tolerance = 1e-6, onStep, signal } = options;
  const { subjects, items } = responses;
  const start = startingValues(responses, dims, random.fork("starting values"));
  const { item: share, answers } = shares(responses);
  const weight = share.map((p, i) => p * (1 - p) * answers[i]!);
  const x = new Float64Array(subjects * dims + items * dims + items);
  const view = (all: Float64Array): Parameters => ({
    theta: all.subarray(0, subjects * dims),
    a: all.subarray(subjects * dims, (subjects + items) * dims),
    b: all.subarray((subjects + items) * dims),
  });
  const at = view(x);
  at.theta.set(start.theta);
  at.a.set(start.a);
  at.b.set(start.b);
  const objective = await backend.open(responses, dims);
  try {
    let scales = initialScales(dims);
    let evaluations = 0;
    for (let round = 0; ; round++) {
      const last = round === rounds - 1;
      const result = await minimizeLbfgs(
        async (point, gradient) => {
          if (signal?.aborted) throw new AnchorEvalError("aborted", "the calibration was stopped");
          const value = await objective.evaluate(view(point), view(gradient));
          return value + addPenalty(view(point), view(gradient), scales);
        },
        x,
        {
          maxEvaluations: last ? maxEvaluations : Math.ceil(maxEvaluations / 2),
          tolerance: last ? tolerance : 10 * tolerance,
          scaling: curvature(at, scales, weight, view),
          ...(onStep && { onStep: (value, count) => onStep({ round, evaluations: evaluations + count, value }) }),
        },
      );
      evaluations += result.evaluations;
      if (last) {
        const rotated = canonicalRotation(at, dims);
        return {
          ...rotated,
          dims,
          scales,
          value: result.value,
          gradientNorm: result.gradientNorm,
          evaluations,
          converged: result.converged,
        };
      }
      scales = updateScales(at, dims, scales, weight);
    }
  } finally {
    await objective.dispose();
  }
}

/** Adds −log prior and its gradient; returns the value. */
function addPenalty(
  { theta, a, b }: Parameters,
  gradient: Parameters,
  { aMean, aVariance, bMean, bVariance }: Scales,
): number {
  const dims = aMean.length;
  let value = 0;
  for (let k = 0; k < theta.length; k++) {
    value += 0.5 * theta[k]! ** 2;
    gradient.theta[k] = gradient.theta[k]! + theta[k]!;
  }
  for (let k = 0; k < a.length; k++) {
    const d = k % dims;
    const gap = a[k]! - aMean[d]!;
    value += (0.5 * gap * gap) / aVariance[d]!;
    gradient.a[k] = gradient.a[k]! + gap / aVariance[d]!;
  }
  for (let k = 0; k < b.length; k++) {
    const gap = b[k]! - bMean;
    value += (0.5 * gap * gap) / bVariance;
    gradient.b[k] = gradient.b[k]! + gap / bVariance;
  }
  return value;
}

/** Diagonal of the objective's expected Hessian, about: L-BFGS's scaling. */
function curvature(
  { theta, a, b }: Parameters,
  { aVariance, bVariance }: Scales,
  weight: Float64Array,
  view: (all: Float64Array) => Parameters,
): Float64Array {
  const dims = aVariance.length;
  const subjects = theta.length / dims;
  const all = new Float64Array(theta.length + a.length + b.length);
  const out = view(all);
  const spread = new Float64Array(dims);
  const slope = new Float64Array(dims);
  for (let k = 0; k < theta.length; k++) spread[k % dims]! += theta[k]! ** 2 / subjects;
  for (let k = 0; k < a.length; k++) slope[k % dims]! += (weight[Math.floor(k / dims)]! * a[k]! ** 2) / subjects;
  for (let k = 0; k < theta.length; k++) out.theta[k] = 1 + slope[k % dims]!;
  for (let k = 0; k < a.length; k++)
    out.a[k] = 1 / aVariance[k % dims]! + weight[Math.floor(k / dims)]! * spread[k % dims]!;
  for (let k = 0; k < b.length; k++) out.b[k] = 1 / bVariance + weight[k]!;
  return all;
}
