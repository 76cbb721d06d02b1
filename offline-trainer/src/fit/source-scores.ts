import { partlyCorrectedMean, type ModelEstimate, type SeenModels, type SeenScores } from "anchoreval/core";
import { scenariosOf, type Benchmark } from "../matrix/benchmark.ts";
import { fullScores } from "../prepare/full-scores.ts";

/** The range and the mean of the sources' full scores. */
export interface SourceScores extends SeenScores {
  readonly average: number;
}

/** The sources' full scores by scenario, and the range of their means over all where several are estimated together. */
export function sourceScores(sources: Benchmark): {
  readonly scenarios: ReadonlyMap<string, SourceScores>;
  readonly overall: SeenScores | null;
} {
  const full = sources.groups.flatMap(({ matrix, scenarios }) =>
    scenarios.map((slice) => [slice.id, fullScores(matrix, slice).score] as const),
  );
  const scenarios = full.map(([id, scores]): [string, SourceScores] => {
    const known = Array.from(scores).filter((score) => !Number.isNaN(score));
    return [id, { ...scoresSeen(known), average: known.reduce((sum, score) => sum + score, 0) / known.length }];
  });
  return { scenarios: new Map(scenarios), overall: scoresSeen(overallScores(full.map(([, scores]) => scores))) };
}

/** Mean of the full scores over all scenarios, by model; NaN where one isn't known. */
export function overallScores(scores: readonly Float64Array[]): Float64Array {
  return scores[0]!.map((_, m) => scores.reduce((sum, own) => sum + own[m]! / scores.length, 0));
}

/** The range of those scores that are known. */
export function scoresSeen(scores: ArrayLike<number>): SeenScores {
  const known = Array.from(scores).filter((score) => !Number.isNaN(score));
  return { worst: Math.min(...known), best: Math.max(...known) };
}

/** A model's place by its joint estimates in all scenarios; null where one failed. */
export function placeOf(estimate: ModelEstimate, sources: Benchmark, seen: SeenScores): SeenModels["overall"] {
  if (!estimate.joint) return null;
  const all = scenariosOf(sources).map(({ id }) => estimate.scenario(id, "joint"));
  const score = all.reduce((sum, own) => sum + (own ? partlyCorrectedMean(own.base) : NaN) / all.length, 0);
  return Number.isFinite(score) ? { ...seen, score } : null;
}
