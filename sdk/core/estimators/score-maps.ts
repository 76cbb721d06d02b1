import type { FloatArray } from "../irt/item-bank.ts";

/**
 * Inputs of a map from a scenario's answers: `mean`, the anchors' mean; `expected`, the full score that the ability lets
 * expect, Σ w·p̂ (in one dimension θ on another axis, which ends at 0 and 1); `score`, what the scenario's own map says.
 */
export const MAP_FEATURES = ["mean", "expected", "score"] as const;

/** A feature of the answers that a score map reads. */
type MapFeature = (typeof MAP_FEATURES)[number];

/** Features of a scenario's answers, each in [0,1]. */
export type AnswerFeatures = Readonly<Record<MapFeature, number>>;

/** A feature that a map reads. */
export interface FeatureName {
  readonly feature: MapFeature;
  /** Scenario that it is of; null = the mean over all scenarios. */
  readonly scenario: string | null;
}

/** A curve of one feature, by its values at evenly spaced points, at least two. */
export interface MapTerm extends FeatureName {
  /** The first and the last point. */
  readonly begin: number;
  readonly end: number;
  readonly values: FloatArray;
}

/** A score as a sum of curves: intercept + Σ f_j(x_j). */
export interface AdditiveMap {
  readonly intercept: number;
  readonly terms: readonly MapTerm[];
}

/** Whose answers a map reads: the scenario's own, or all scenarios'. */
export const MAP_READS = ["alone", "together"] as const;
export type MapReads = (typeof MAP_READS)[number];

/** A scenario's maps: of its own answers alone, and of all scenarios'; null where there are no others. */
export interface ScoreMaps {
  readonly alone: AdditiveMap;
  readonly together: AdditiveMap | null;
}

/**
 * Value of a term: linear between its points, and beyond them as in the last piece. A spline whose ends are straight goes
 * on as it would; one held flat would never say that a model is stronger than any seen.
 * @example termValue({ feature: "mean", scenario: null, begin: 0, end: 1, values: [0, 0.5, 0.6] }, 0.25) // 0.25
 */
export function termValue({ begin, end, values }: MapTerm, x: number): number {
  const pieces = values.length - 1;
  const at = (pieces * (x - begin)) / (end - begin);
  const piece = Math.max(0, Math.min(pieces - 1, Math.floor(at)));
  return values[piece]! + (at - piece) * (values[piece + 1]! - values[piece]!);
}

/**
 * Value of a map.
 * @param read - features of the model
 * @returns not clamped to [0,1]
 * @see Hastie & Tibshirani (1986), Statistical Science 1, 297–318; Kipnis et al. (2025), metabench, ICLR
 */
export function mappedScore({ intercept, terms }: AdditiveMap, read: (name: FeatureName) => number): number {
  return terms.reduce((sum, term) => sum + termValue(term, read(term)), intercept);
}

/** Inputs of maps over all scenarios. Means over all scenarios count each the same. */
export function pooledFeatures(features: ReadonlyMap<string, AnswerFeatures>): (name: FeatureName) => number {
  return ({ feature, scenario }) => {
    if (scenario !== null) return features.get(scenario)![feature];
    let sum = 0;
    for (const ofScenario of features.values()) sum += ofScenario[feature];
    return sum / features.size;
  };
}
