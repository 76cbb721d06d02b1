import type { MarginalPriors } from "./priors.ts";

/** Response models by the parameters of an item: `1pl` b, with one a common to all; `2pl` a and b; `3pl` a lower asymptote too, `4pl` both. */
export const MARGINAL_MODELS = ["1pl", "2pl", "3pl", "4pl"] as const;
export type MarginalModel = (typeof MARGINAL_MODELS)[number];

export interface MarginalOptions {
  readonly model: MarginalModel;
  /** Those that are not named are {@link DEFAULT_PRIORS}. */
  readonly priors?: Partial<MarginalPriors>;
  /** @default 500 */
  readonly maxIterations?: number;
  /** Converged when steps are expected to gain less than this, in nats. @default 1e-7 */
  readonly tolerance?: number;
  readonly onStep?: (step: MarginalStep) => void;
  readonly signal?: AbortSignal;
}

export interface MarginalStep {
  /** From 0; 0 is where the search begins. */
  readonly iteration: number;
  /** Marginal log-likelihood, in nats. */
  readonly logLikelihood: number;
  /** With the priors' logarithms, up to a constant: what is maximised. It never falls on one grid. */
  readonly logPosterior: number;
  /** Points of the quadrature: where their number changes, the grid was laid anew. */
  readonly points: number;
}

/**
 * A unidimensional calibration with its own diagnosis. An item that no model answered has nothing to estimate: its
 * parameters are NaN.
 */
export interface MarginalCalibration {
  readonly model: MarginalModel;
  /** N discriminations, logits per unit of θ. */
  readonly a: Float64Array;
  /** N intercepts, logits: z = a·θ − b. */
  readonly b: Float64Array;
  /** N lower asymptotes in [0, upper). */
  readonly lower: Float64Array;
  /** N upper asymptotes in (lower, 1]. */
  readonly upper: Float64Array;
  /** M abilities, E[θ | y]. */
  readonly theta: Float64Array;
  /** M standard deviations of θ given the answers. */
  readonly thetaSd: Float64Array;
  /** Marginal log-likelihood at the end, in nats. */
  readonly logLikelihood: number;
  /** With the priors' logarithms, up to a constant. */
  readonly logPosterior: number;
  /** Euclidean norm of logPosterior's gradient in a, b and the logarithms that the asymptotes' priors are of. */
  readonly gradientNorm: number;
  readonly iterations: number;
  /** Evaluations of likelihood and gradient. */
  readonly evaluations: number;
  readonly converged: boolean;
}
