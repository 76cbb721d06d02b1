/** Ids of the estimators, the word that JSON, tables and the command line use. */
export const ESTIMATORS = ["anchor-mean", "p-irt", "gp-irt", "p-irt-dr"] as const;
export type EstimatorId = (typeof ESTIMATORS)[number];

/**
 * The anchors of one scenario: which items are asked and what each stands for.
 * Anchors are listed in order of the items' accuracy among the source models, so that neighbours are alike.
 */
export interface AnchorSet {
  /** Item indices within the scenario, no duplicates. */
  readonly items: Uint32Array;
  /** Inclusion probabilities π in (0,1] of a probability sample; null for a purposive choice (k-means). */
  readonly inclusion: Float64Array | null;
  /** What each anchor stands for: w/π, or its cluster's mass. Positive; any scale. */
  readonly mass: Float64Array;
}

/** The answered anchors of a scenario, their masses renormalised. */
export interface AnsweredSample {
  readonly items: Uint32Array;
  /** Scores in [0,1]. */
  readonly scores: Float64Array;
  /** Sums to 1. */
  readonly mass: Float64Array;
  /** π times the share of anchors answered; null for a purposive choice. */
  readonly inclusion: Float64Array | null;
  /** Answered share of the anchors' mass, in [0,1]. */
  readonly share: number;
}

/** What an estimator reads: item weights, predictions and answers of one scenario. */
export interface ScenarioState {
  /** Item weights w, N of them, summing to 1. */
  readonly weights: Float64Array;
  /** Predicted scores p̂ of every item, in [0,1]. */
  readonly predicted: Float64Array;
  readonly sample: AnsweredSample;
}
