import type { BaseManifest, BridgeManifest } from "anchoreval/internal/core/bundle/manifest";
import type { FitSettings } from "../../methods/settings.ts";
import { submatrix, type ResponseMatrix } from "../../matrix/response-matrix.ts";
import { fullScores, scenarioSlices } from "../../matrix/scenarios.ts";
import { TARGET_OBSERVED } from "../../matrix/splits.ts";
import type { BaseBundle } from "./base.ts";

/** One scale's scores of some models in two versions, and the uncertainty of the new ones. */
interface VersionScores {
  /** Fractions; NaN where a model has none. */
  readonly older: Float64Array;
  readonly newer: Float64Array;
  /** Standard deviation common to all new scores, by the uncertain parameters of the linked items. */
  readonly linkingError: number;
}

const LEAST_MODELS = 5;

/**
 * Linear linking from new scores to old ones: the least-squares line of the older scores on the newer, over models that
 * have both; its error combines the residuals' standard deviation and the linking error.
 * @returns null for fewer than five models, or newer scores that are all the same
 * @see Kolen & Brennan (2014), Test Equating, Scaling, and Linking, §2.4 (linear linking of the same group)
 */
export function linkScores({ older, newer, linkingError }: VersionScores): BridgeManifest | null {
  const both = Array.from(older.keys()).filter((m) => !Number.isNaN(older[m]!) && !Number.isNaN(newer[m]!));
  const mean = (valueOf: (m: number) => number): number => both.reduce((sum, m) => sum + valueOf(m), 0) / both.length;
  const [x, y] = [mean((m) => newer[m]!), mean((m) => older[m]!)];
  const spread = mean((m) => (newer[m]! - x) ** 2);
  if (both.length < LEAST_MODELS || !(spread > 0)) return null;
  const slope = mean((m) => (newer[m]! - x) * (older[m]! - y)) / spread;
  const intercept = y - slope * x;
  const residual = mean((m) => (older[m]! - intercept - slope * newer[m]!) ** 2) * (both.length / (both.length - 2));
  return { models: both.length, slope, intercept, error: Math.sqrt(residual + (slope * linkingError) ** 2) };
}

/**
 * Linking of every scenario's scores and of their mean, over models whose old score is known.
 * @param expected - new scores, expected ones where none was given
 */
export function linkVersionScores(
  older: ResponseMatrix,
  { bundle: { manifest }, items }: BaseBundle,
  expected: ResponseMatrix,
  { weighting }: FitSettings,
  linkingErrors: ReadonlyMap<string, number>,
): BaseManifest["bridge"] {
  const column = new Map(older.items.map(({ item_id: id }, i) => [id, i]));
  const described = items.filter(({ item_id: id }) => column.has(id));
  const columns = described.map(({ item_id: id }) => column.get(id)!);
  const before = submatrix(older, [...older.subjects.keys()], columns);
  const oldSlices = scenarioSlices(described, manifest.weighting);
  const row = new Map(older.subjects.map((subject, m) => [subject, m]));
  const complete = (score: number, observed: number): number => (observed >= TARGET_OBSERVED ? score : NaN);
  const scores = scenarioSlices(expected.items, weighting).map((slice): readonly [string, VersionScores] => {
    const { items: count } = manifest.scenarios.find(({ id }) => id === slice.id)!;
    const oldSlice = oldSlices.find(({ id }) => id === slice.id);
    const old = oldSlice && oldSlice.count >= TARGET_OBSERVED * count ? fullScores(before, oldSlice) : null;
    const now = fullScores(expected, slice);
    const older = Float64Array.from(expected.subjects, (subject) => {
      const m = row.get(subject);
      return old && m !== undefined ? complete(old.score[m]!, old.observed[m]!) : NaN;
    });
    const newer = now.score.map((score, m) => complete(score, now.observed[m]!));
    return [slice.id, { older, newer, linkingError: linkingErrors.get(slice.id)! }];
  });
  const all = scores.map(([, own]) => own);
  const mean = (side: "older" | "newer"): Float64Array =>
    Float64Array.from(expected.subjects, (_, m) => all.reduce((sum, own) => sum + own[side][m]! / all.length, 0));
  const linkingError = Math.sqrt(all.reduce((sum, own) => sum + own.linkingError ** 2, 0)) / all.length;
  return {
    overall: linkScores({ older: mean("older"), newer: mean("newer"), linkingError }),
    scenarios: Object.fromEntries(scores.map(([id, own]) => [id, linkScores(own)])),
  };
}
