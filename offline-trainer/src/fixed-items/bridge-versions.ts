import type { FitConfiguration } from "../fit/configuration.ts";
import type { StandingVersion } from "../fit/standing-version.ts";
import { submatrix, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { fullScores } from "../prepare/full-scores.ts";
import { scenarioSlices } from "../prepare/scenarios.ts";
import { TARGET_OBSERVED } from "../splits/eligible.ts";
import { bridge, type VersionScores } from "./bridge.ts";
import type { BaseBundle } from "./read-base.ts";

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
