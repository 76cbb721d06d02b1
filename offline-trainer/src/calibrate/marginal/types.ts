import type { ItemBank, RandomSource } from "anchoreval/core";
import type { MarginalPriors } from "./priors.ts";

/** What an item has: `1pl` b, and one a in common with all; `2pl` a and b; `3pl` a lower asymptote too, `4pl` both. */
export const MARGINAL_MODELS = ["1pl", "2pl", "3pl", "4pl"] as const;
export type MarginalModel = (typeof MARGINAL_MODELS)[number];

/** Items whose parameters are known, such as those of a published bundle. */
export interface FixedItems {
  /** Columns of the responses, in the order of the bank. */
  readonly items: ArrayLike<number>;
  /** Their parameters, one-dimensional; with asymptotes or without, whatever model the others have. */
  readonly bank: ItemBank;
}

export interface MarginalOptions {
  readonly model: MarginalModel;
  /** Of the models, M of them, ≥ 0: 2 counts as two alike, 0 as absent (it gets an ability all the same). @default 1 */
  readonly modelWeights?: ArrayLike<number>;
  /** Of the items, N of them, ≥ 0: the power of an item's likelihood, 0 as if it were absent. @default 1 */
  readonly itemWeights?: ArrayLike<number>;
  /** With it the population's mean and standard deviation are estimated instead of being 0 and 1. */
  readonly fixed?: FixedItems;
  /** Those that are not named are {@link DEFAULT_PRIORS}. */
  readonly priors?: Partial<MarginalPriors>;
  /** Random starts in place of the one from the data; the best of them is kept. */
  readonly starts?: { readonly count: number; readonly random: RandomSource };
  /** Of each start. @default 500 */
  readonly maxIterations?: number;
  /** Converged when steps are expected to gain less than this, in nats. @default 1e-7 */
  readonly tolerance?: number;
  /** Whether to compute them. @default true */
  readonly standardErrors?: boolean;
  readonly onStep?: (step: MarginalStep) => void;
  readonly signal?: AbortSignal;
}

export interface MarginalStep {
  /** From 0. */
  readonly start: number;
  /** From 0; 0 is where the start begins. */
  readonly iteration: number;
  /** Marginal log-likelihood, in nats. */
  readonly logLikelihood: number;
  /** With the priors' logarithms, up to a constant: what is maximised. It never falls on one grid. */
  readonly logPosterior: number;
  /** Points of the quadrature: where their number changes, the grid was laid anew. */
  readonly points: number;
}

/** Standard errors of the items' parameters, N each: 0 where a parameter isn't estimated, NaN for an absent item. */
export interface ItemStandardErrors {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Of the difficulty b/a, by the delta method. */
  readonly difficulty: Float64Array;
}

/**
 * A unidimensional calibration with its own diagnosis. An item that no model of weight above 0 answered, or whose
 * weight is 0, is absent: there is nothing to estimate, its parameters are NaN (a fixed one keeps its own).
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
  /** Of the abilities: 0 and 1, or what was estimated beside fixed items. */
  readonly population: { readonly mean: number; readonly sd: number };
  /** null where they weren't asked for, or where the information isn't positive definite: not a maximum, or not one only. */
  readonly standardErrors: ItemStandardErrors | null;
  /** Marginal log-likelihood at the end, in nats. */
  readonly logLikelihood: number;
  /** With the priors' logarithms, up to a constant. */
  readonly logPosterior: number;
  /** Euclidean norm of logPosterior's gradient in a, b and the logarithms that the asymptotes' priors are of. */
  readonly gradientNorm: number;
  readonly iterations: number;
  /** Evaluations of likelihood and gradient, those for the standard errors left out. */
  readonly evaluations: number;
  readonly converged: boolean;
  /** The logPosterior that each start came to. */
  readonly starts: readonly number[];
}
