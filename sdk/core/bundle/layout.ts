import type { MapReads } from "../estimators/score-maps.ts";

/** What factors are of: `factors` of the response model's curves, `answer_factors` of the source models' answers. */
export type FactorsOf = "factors" | "answer_factors";

/**
 * Names of the tensors in parameters.safetensors. Scenarios are numbered in the manifest's order, since their ids may
 * be any text. The file holds, in this order: all forms' float64 arrays, all source scores (float32), all forms' item
 * indices (uint32), then one scenario's item parameters, exposure factors, factors and score maps after another (float32).
 */
export const tensorNames = {
  /** N×D discriminations. */
  a: (scenario: number): string => `scenario.${scenario}.a`,
  /** N intercepts. */
  b: (scenario: number): string => `scenario.${scenario}.b`,
  /** N lower asymptotes; absent where all are 0. */
  lower: (scenario: number): string => `scenario.${scenario}.lower`,
  /** N upper asymptotes; absent where all are 1. */
  upper: (scenario: number): string => `scenario.${scenario}.upper`,
  /** N exposure factors; absent from bundles without limits. */
  exposure: (scenario: number): string => `scenario.${scenario}.exposure`,
  /** μ of every anchor's factors; rows are the items that any form asks, by index. */
  factorMean: (scenario: number, of: FactorsOf): string => `scenario.${scenario}.${of}.mean`,
  /** Their loadings, n×Q. */
  factorLoadings: (scenario: number, of: FactorsOf): string => `scenario.${scenario}.${of}.loadings`,
  /** Their noise. */
  factorNoise: (scenario: number, of: FactorsOf): string => `scenario.${scenario}.${of}.noise`,
  /** Σwμ and Σwz over all items, 1 + Q (float64). */
  factorTotal: (scenario: number, of: FactorsOf): string => `scenario.${scenario}.${of}.total`,
  /** The source models' full scores, ascending. */
  sourceScores: (scenario: number): string => `scenario.${scenario}.source_scores`,
  /** Item indices of a form's anchors, by the items' accuracy among the source models. */
  items: (scenario: number, form: string): string => `scenario.${scenario}.form.${form}.items`,
  /** What each anchor stands for. */
  mass: (scenario: number, form: string): string => `scenario.${scenario}.form.${form}.mass`,
  /** A score map's curves, T×(2+K): begin, end and K values each; absent from forms without one. */
  map: (scenario: number, form: string, of: MapReads): string => `scenario.${scenario}.form.${form}.map.${of}`,
  /** Inclusion probabilities; absent for a purposive form. */
  inclusion: (scenario: number, form: string): string => `scenario.${scenario}.form.${form}.inclusion`,
} as const;
