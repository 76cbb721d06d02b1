import type { BridgeManifest } from "anchoreval/bundle";

/** One scale's scores of some models in two versions, and how far the new ones are open. */
export interface VersionScores {
  /** Fractions; NaN where a model has none. */
  readonly older: Float64Array;
  readonly newer: Float64Array;
  /** Standard deviation of all new scores together, by where the placed items lie. */
  readonly placementError: number;
}

/** Models below which a line through their scores says nothing. */
const LEAST_MODELS = 5;

/**
 * What a model's score was in the older version: the least-squares line of the older scores on the newer, over models that
 * have both; its error is the residuals' standard deviation and what the placed items leave open.
 * @returns null for fewer than five models, or newer scores that are all the same
 * @see Kolen & Brennan (2014), Test Equating, Scaling, and Linking, §2.4 (linear linking of the same group)
 */
export function bridge({ older, newer, placementError }: VersionScores): BridgeManifest | null {
  const both = Array.from(older.keys()).filter((m) => !Number.isNaN(older[m]!) && !Number.isNaN(newer[m]!));
  const mean = (of: (m: number) => number): number => both.reduce((sum, m) => sum + of(m), 0) / both.length;
  const [x, y] = [mean((m) => newer[m]!), mean((m) => older[m]!)];
  const spread = mean((m) => (newer[m]! - x) ** 2);
  if (both.length < LEAST_MODELS || !(spread > 0)) return null;
  const slope = mean((m) => (newer[m]! - x) * (older[m]! - y)) / spread;
  const intercept = y - slope * x;
  const residual = mean((m) => (older[m]! - intercept - slope * newer[m]!) ** 2) * (both.length / (both.length - 2));
  return { models: both.length, slope, intercept, error: Math.sqrt(residual + (slope * placementError) ** 2) };
}
