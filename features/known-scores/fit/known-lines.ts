import { withPart } from "anchoreval/internal/core/bundle/part";
import { scenarioShares } from "anchoreval/internal/estimate/overall-score";
import { scoreLogit } from "anchoreval/internal/features/unasked/sdk/predict-scenarios";
import {
  type KnownLine,
  type KnownScoresManifest,
  knownScoresPart,
  LEAST_KNOWN,
} from "anchoreval/internal/features/known-scores/core";
import { rounded } from "../../../offline-trainer/src/fit/held-out-scores.ts";
import type { FitPart, FittedPart } from "../../../offline-trainer/src/fit/options.ts";
import { type ResponseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { mean, total } from "../../../offline-trainer/src/numeric/statistics.ts";

/** Least standard deviation of a logit that is noted: none is known better. Chosen, not measured. */
const LEAST_DEVIATION = 0.01;

/**
 * The part of a fit that learns what scores on other benchmarks tell of scores here: a line over the source models that have
 * both, matched by name. Later `estimate(bundle, answers, { knownScores: { livecodebench: 0.61 } })` uses one that a new model
 * has: published scores make an evaluation of few, expensive tasks surer at no cost.
 * @param elsewhere - a row a model, a column a benchmark: its scores in [0,1], NaN where there is none
 * @returns its part adds nothing of a benchmark that fewer than eight source models have a score on
 * @example await fit(matrix, { benchmark: "quiz", version: "1.0.0", created, sizes: [50], seed: 1, backend, parts: [withKnownScores(elsewhere)] });
 */
export function withKnownScores(elsewhere: ResponseMatrix): FitPart {
  return {
    stage: "known scores",
    add: ({ content, parts }) => {
      const noted = elsewhere.items.flatMap(({ item_id: name }, column): [string, KnownScoresManifest[string]][] => {
        const scores = new Map(elsewhere.subjects.map((model, m) => [model, scoreAt(elsewhere, m, column)]));
        const lines = linesOf(parts, content.manifest, scores);
        return lines.overall === null && Object.keys(lines.scenarios).length === 0 ? [] : [[name, lines]];
      });
      const value = Object.fromEntries(noted);
      return noted.length === 0
        ? content
        : { ...content, manifest: withPart(content.manifest, knownScoresPart, value) };
    },
  };
}

function linesOf(
  parts: readonly FittedPart[],
  manifest: Parameters<typeof scenarioShares>[0],
  elsewhere: ReadonlyMap<string, number>,
): KnownScoresManifest[string] {
  const scored = new Map(
    parts.flatMap(({ benchmark: { models, scenarios } }) =>
      scenarios.map((scenario): [string, Map<string, number>] => {
        const { score } = fullScores(scenario.matrix, scenario);
        return [scenario.id, new Map(models.map((model, m) => [model, score[m]!]))];
      }),
    ),
  );
  const shares = scenarioShares(manifest);
  const overall = new Map(
    Array.from(scored.get(shares[0]!.id)!.keys(), (model) => [
      model,
      total(shares.map(({ id, share }) => share * (scored.get(id)!.get(model) ?? NaN))),
    ]),
  );
  return {
    overall: knownLine(elsewhere, overall),
    scenarios: Object.fromEntries(
      shares.flatMap(({ id }) => {
        const line = knownLine(elsewhere, scored.get(id)!);
        return line ? [[id, line]] : [];
      }),
    ),
  };
}

/**
 * Least squares of φ(S) on φ(x) over the models that have both, φ the logit of a score. Its deviation is the larger of that of
 * all models about it and of what lines through the lower and the upper half by x miss the others by: a new model is often
 * stronger than any seen, and what goes together among models of one kind needn't beyond them.
 * @returns null for fewer than eight models, or where x doesn't vary
 */
export function knownLine(
  elsewhere: ReadonlyMap<string, number>,
  scores: ReadonlyMap<string, number>,
): KnownLine | null {
  const pairs = Array.from(scores).flatMap(([model, score]): Pair[] => {
    const x = elsewhere.get(model) ?? NaN;
    return Number.isNaN(x) || Number.isNaN(score) ? [] : [[scoreLogit(x), scoreLogit(score)]];
  });
  if (pairs.length < LEAST_KNOWN) return null;
  const line = leastSquares(pairs);
  if (line === null) return null;
  const sorted = [...pairs].sort(([a], [b]) => a - b);
  const half = Math.ceil(pairs.length / 2);
  const missed = [sorted, sorted.toReversed()].map((ordered) => missedBy(ordered.slice(0, half), ordered.slice(half)));
  const deviation = Math.max(LEAST_DEVIATION, line.deviation, ...missed);
  const { intercept, slope, mean: middle, spread } = line;
  return {
    models: pairs.length,
    ...{ intercept: rounded(intercept), slope: rounded(slope), deviation: rounded(deviation) },
    ...{ mean: rounded(middle), spread: rounded(spread) },
  };
}

/** φ(x) and φ(S) of a model. */
type Pair = readonly [number, number];

function leastSquares(pairs: readonly Pair[]) {
  const [middle, level] = [mean(pairs.map(([x]) => x)), mean(pairs.map(([, y]) => y))];
  const spread = total(pairs.map(([x]) => (x - middle) ** 2));
  if (!(spread > 1e-6)) return null;
  const slope = total(pairs.map(([x, y]) => (x - middle) * (y - level))) / spread;
  const left = total(pairs.map(([x, y]) => (y - level - slope * (x - middle)) ** 2));
  const deviation = Math.sqrt(left / Math.max(1, pairs.length - 2));
  return { intercept: level - slope * middle, slope, deviation, mean: middle, spread };
}

/** The root mean square of what a line through some models misses others by, over what it says of how far these lie out. */
function missedBy(some: readonly Pair[], others: readonly Pair[]): number {
  const line = leastSquares(some);
  if (line === null) return 0;
  const { intercept, slope, mean: middle, spread } = line;
  const squares = others.map(
    ([x, y]) => (y - intercept - slope * x) ** 2 / (1 + 1 / some.length + (x - middle) ** 2 / spread),
  );
  return Math.sqrt(mean(squares));
}
