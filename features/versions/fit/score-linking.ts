import type { BaseManifest, BridgeManifest } from "anchoreval/internal/features/versions/core";
import type { FitSettings } from "../../../offline-trainer/src/methods/settings.ts";
import { LEAST_MODELS, submatrix, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores, scenarioSlices } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { overallScores } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { TARGET_OBSERVED } from "../../../offline-trainer/src/matrix/splits.ts";
import type { BaseBundle } from "./base.ts";

/** One scale's scores of some models in two versions, and the uncertainty of the new ones. */
interface VersionScores {
  /** Fractions; NaN where a model has none. */
  readonly older: Float64Array;
  readonly newer: Float64Array;
  /** Standard deviation common to all new scores, by the uncertain parameters of the linked items. */
  readonly linkingError: number;
}

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
 * Linking of the scores of every scenario that both versions have, and of each version's mean over its own scenarios, over
 * models whose old score is known.
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
  const olderScores = new Map(
    manifest.scenarios.map(({ id, items: count }) => {
      const slice = oldSlices.find((old) => old.id === id);
      const full = slice && slice.count >= TARGET_OBSERVED * count ? fullScores(before, slice) : null;
      const scores = Float64Array.from(expected.subjects, (subject) => {
        const m = row.get(subject);
        return full && m !== undefined ? complete(full.score[m]!, full.observed[m]!) : NaN;
      });
      return [id, scores];
    }),
  );
  const newerScores = new Map(
    scenarioSlices(expected.items, weighting).map((slice) => {
      const { score, observed } = fullScores(expected, slice);
      return [slice.id, score.map((value, m) => complete(value, observed[m]!))];
    }),
  );
  const errors = [...newerScores.keys()].map((id) => linkingErrors.get(id) ?? 0);
  const overall = {
    older: overallScores([...olderScores.values()]),
    newer: overallScores([...newerScores.values()]),
    linkingError: Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0)) / errors.length,
  };
  const lines = Array.from(newerScores, ([id, newer]) => {
    const older = olderScores.get(id);
    return older ? [[id, linkScores({ older, newer, linkingError: linkingErrors.get(id)! })] as const] : [];
  });
  return { overall: linkScores(overall), scenarios: Object.fromEntries(lines.flat()) };
}
