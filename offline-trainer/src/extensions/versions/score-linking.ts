import type { BridgeManifest } from "anchoreval/bundle";
import type { FitConfiguration } from "../../fit/configuration.ts";
import type { StandingVersion } from "../../fit/standing-version.ts";
import type { BaseBundle } from "./link-version.ts";
import { type ResponseMatrix, submatrix } from "../../matrix/response-matrix.ts";
import { fullScores } from "../../prepare/full-scores.ts";
import { scenarioSlices } from "../../prepare/scenarios.ts";
import { TARGET_OBSERVED } from "../../splits/eligible.ts";

/** The lines from new scores to old ones, over models whose old score is known. @param expected - new scores, chances where none was given */
export function bridgeVersions(
  older: ResponseMatrix,
  { bundle: { manifest }, items }: BaseBundle,
  expected: ResponseMatrix,
  { weighting }: FitConfiguration,
  placementErrors: ReadonlyMap<string, number>,
): StandingVersion["record"]["bridge"] {
  const columns = new Map(older.items.map(({ item_id: id }, i) => [id, i]));
  const described = items.flatMap((item) => (columns.has(item.item_id) ? [item] : []));
  const before = submatrix(
    older,
    Array.from(older.subjects.keys()),
    described.map(({ item_id: id }) => columns.get(id)!),
  );
  const oldSlices = scenarioSlices(described, manifest.weighting);
  const row = new Map(older.subjects.map((subject, m) => [subject, m]));
  const scores = scenarioSlices(expected.items, weighting).map((slice): readonly [string, VersionScores] => {
    const { items: count } = manifest.scenarios.find(({ id }) => id === slice.id)!;
    const old = oldSlices.find(({ id }) => id === slice.id);
    const were = old && old.count >= TARGET_OBSERVED * count ? fullScores(before, old) : null;
    const are = fullScores(expected, slice);
    const whole = (score: number, observed: number): number => (observed >= TARGET_OBSERVED ? score : NaN);
    return [
      slice.id,
      {
        older: Float64Array.from(expected.subjects, (subject) => {
          const m = row.get(subject);
          return were && m !== undefined ? whole(were.score[m]!, were.observed[m]!) : NaN;
        }),
        newer: are.score.map((score, m) => whole(score, are.observed[m]!)),
        placementError: placementErrors.get(slice.id)!,
      },
    ];
  });
  const all = scores.map(([, own]) => own);
  const mean = (of: (own: VersionScores) => Float64Array): Float64Array =>
    Float64Array.from(expected.subjects, (_, m) => all.reduce((sum, own) => sum + of(own)[m]! / all.length, 0));
  const placementError = Math.sqrt(all.reduce((sum, own) => sum + own.placementError ** 2, 0)) / all.length;
  return {
    overall: bridge({ older: mean((own) => own.older), newer: mean((own) => own.newer), placementError }),
    scenarios: Object.fromEntries(scores.map(([id, own]) => [id, bridge(own)])),
  };
}

/** One scale's scores of some models in two versions, and how far the new ones are open. */
interface VersionScores {
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
