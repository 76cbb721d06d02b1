import { AnchorEvalError } from "../errors.ts";
import type { FloatArray } from "../irt/item-bank.ts";

/** Ids of the estimators that every form has, the word that JSON, tables and the command line use. */
export const ESTIMATORS = [
  "anchor-mean",
  "p-irt",
  "gp-irt",
  "p-irt-dr",
  "gaussian",
  "ridge-gap",
  "aipw",
  "stack",
  "gate",
] as const;

/** All of them; forms have a score map where one was fitted. */
export const ALL_ESTIMATORS = [...ESTIMATORS, "score-map"] as const;

/** An estimator, as manifests and answers name it. */
export type EstimatorId = (typeof ALL_ESTIMATORS)[number];

/** Something of every estimator; of the score map where there is one. */
export type ByEstimator<T> = Readonly<Record<(typeof ESTIMATORS)[number], T>> & { readonly "score-map"?: T };

/** Estimators that follow from the answers and what the source models taught; the others blend some of these. */
export const BASE_ESTIMATORS = ["anchor-mean", "p-irt", "p-irt-dr", "gaussian", "ridge-gap", "aipw"] as const;

/** An estimator that reads answers, not other estimators. */
export type BaseEstimatorId = (typeof BASE_ESTIMATORS)[number];

/** Scores of the base estimators, and the score map's where there is one, which is never blended. */
export type BaseScores = Readonly<Record<BaseEstimatorId, number>> & { readonly "score-map"?: number };

/**
 * The anchors of one scenario: which items are asked and what each stands for.
 * Anchors are listed in order of the items' accuracy among the source models, so that neighbours are alike.
 */
export interface AnchorSet {
  /** Item indices within the scenario, no duplicates. */
  readonly items: Uint32Array;
  /** Inclusion probabilities π in (0,1] of a probability sample; null for a purposive choice (k-means). */
  readonly inclusion: Float64Array | null;
  /** The mass that each anchor stands for: w/π, or its cluster's mass. Positive; any scale. */
  readonly mass: Float64Array;
}

/**
 * How the scores of a scenario's items go together among models like the sources: y_i = μ_i + z_i·u + e_i with
 * u ~ N(0, I) in Q dimensions and independent e_i ~ N(0, d_i). The rows are the anchors'.
 */
export interface AnchorFactors {
  /** Q. */
  readonly rank: number;
  /** μ of every anchor. */
  readonly mean: FloatArray;
  /** z of every anchor, n×Q row-major. */
  readonly loadings: FloatArray;
  /** d > 0 of every anchor. */
  readonly noise: FloatArray;
  /** Σwμ and Σwz over all items of the scenario. */
  readonly total: { readonly mean: number; readonly loadings: FloatArray };
}

/** One shift of all items' logits from those predicted, as answers tell it before any prior. */
export interface LogitShift {
  /** Σ(y − p̂)/Σp̂(1−p̂) over the answers, in logits. */
  readonly step: number;
  /** Its precision, Σp̂(1−p̂). */
  readonly information: number;
  /** Σ w·p̂(1−p̂) over the items without an answer: what a logit adds to the full score. */
  readonly spread: number;
}

/** Full scores of the worst and the best source model. */
export interface SeenScores {
  readonly worst: number;
  readonly best: number;
}

/** Answers to items that were drawn at random: those that are always asked add no sampling error. */
export interface DrawnAnswers {
  readonly answers: number;
  /** Σm²(1−π): the variance of their weighted mean, were every item's 1. */
  readonly unit: number;
}

/** Where a model may stand among the source models. */
export interface SeenModels extends SeenScores {
  /**
   * By the mean over all scenarios that are estimated together: the sources' full scores, the model's partly corrected
   * mean, the shift of its logits that they share, the chance that it is unlike the sources, and its lag, what the
   * recalibrated means lie above aipw by beyond what the draw explains; null where they aren't estimated together, or it
   * hardly answered one of them.
   */
  readonly overall: (SeenScores & Readonly<Record<"score" | "shift" | "unlike" | "lag", number>>) | null;
}

/**
 * Half-widths of the gate's intervals relative to the design-based ones, from held-out source models; 1 where they are
 * too few. Positive.
 */
export interface Tightening {
  /** τ, well inside the range seen: a conformal quantile. */
  readonly inside: number;
  /** ρ, well outside of it: from the errors of what the gate shows there and of the wholly corrected mean; at most 1. */
  readonly outside: number;
}

/** The blend of the base estimators of one scenario and form, learned on held-out source models. */
export interface Blend {
  /** λ of gp-irt, in [0,1]. */
  readonly lambda: number;
  /** Weights of the stack, not negative, summing to 1. */
  readonly stack: Readonly<Record<BaseEstimatorId, number>>;
  /** Root mean square error of the partly corrected mean on held-out source models, which the gate looks out of; a fraction. */
  readonly rmse: number;
  /** The same of the mean over all scenarios that are estimated together; null where they aren't. */
  readonly overallRmse: number | null;
  readonly tightening: Tightening;
  /**
   * c in [0,1], what the recalibrated mean is worth outside the range beside what answers say alone, from stronger models
   * that were held out. @default 1, as of older bundles
   */
  readonly recalibration?: number;
}

/** The answered anchors of a scenario, their masses renormalised. */
export interface AnsweredSample {
  readonly items: Uint32Array;
  /** Their positions among the anchors. */
  readonly positions: Uint32Array;
  /** Scores in [0,1]. */
  readonly scores: Float64Array;
  /** Sums to 1. */
  readonly mass: Float64Array;
  /** π times the share of anchors answered; null for a purposive choice. */
  readonly inclusion: Float64Array | null;
  /** Answered share of the anchors' mass, in [0,1]. */
  readonly share: number;
}

/** The input of an estimator: item weights, predictions and answers of one scenario. */
export interface ScenarioState {
  /** Item weights w, N of them, summing to 1. */
  readonly weights: Float64Array;
  /** Σ w·p̂ over all items, the full score that the model's ability lets expect. */
  readonly expected: number;
  /** Σ w·p̂(1−p̂) over all items. */
  readonly spread: number;
  /** Predicted scores p̂ of the answered items, in [0,1], aligned with the sample's. */
  readonly predicted: Float64Array;
  readonly sample: AnsweredSample;
}

/** The figure of an estimator. @throws AnchorEvalError `unsupported` for the score map where there is none */
export function estimatorFigure<T>(figures: ByEstimator<T>, id: EstimatorId): T {
  const figure = figures[id];
  if (figure === undefined) throw new AnchorEvalError("unsupported", `there is no ${id}: the fit made no score map`);
  return figure;
}

/** The estimators that there are figures of. */
export function estimatorsOf(figures: ByEstimator<unknown>): EstimatorId[] {
  return ALL_ESTIMATORS.filter((id) => figures[id] !== undefined);
}
