import type { Comparison, Difference, ModelScore } from "../compare/types.ts";
import {
  differenceWords,
  INTERVAL_MEANING,
  LEANS_ON_LIKE,
  leansOnLike,
  mcNemarWords,
  scoreWords,
  verdictWords,
} from "../words/result-words.ts";
import { percent, points, signedPoints } from "../words/figures.ts";
import { textTable } from "./text-table.ts";

/** A comparison of two models for people: points with one decimal, and the verdict in words. */
export function comparisonLines(comparison: Comparison, { verbose = false }: { verbose?: boolean } = {}): string[] {
  const { benchmark, version, form, names, scenarios, warnings } = comparison;
  const results = Object.entries(scenarios);
  const level = [comparison, ...results.map(([, result]) => result)].find(({ interval }) => interval)?.interval?.level;
  const rows = [
    [
      "",
      names.a,
      names.b,
      "difference",
      level === undefined ? "interval" : `${percent(level)} interval`,
      "answered by both",
    ],
    ...(results.length > 1 ? [row("overall", comparison)] : []),
    ...results.map(([id, result]) => row(id, result)),
  ];
  return [
    `${benchmark} ${version}, form ${form}: ${comparison.answered} of ${comparison.of} items answered by both; only these count`,
    "",
    ...textTable(rows, "lrrrrr"),
    "",
    ...(leansOnLike(comparison) ? [LEANS_ON_LIKE] : []),
    ...verdictWords(comparison),
    mcNemarWords(comparison, names),
    ...(verbose ? results.map(([id, result]) => `${id}: ${mcNemarWords(result, names)}`) : []),
    ...(verbose ? [meansLine(comparison)] : []),
    ...(comparison.interval === null ? [] : [INTERVAL_MEANING]),
    ...warnings.map(({ message }) => `warning: ${message}`),
  ];
}

function row(label: string, { scores, difference, interval, answered, of }: Difference): string[] {
  const text = difference === null ? "–" : signedPoints(difference);
  return [
    label,
    scoreWords(scores.a.score),
    scoreWords(scores.b.score),
    text,
    differenceWords(interval),
    `${answered} of ${of}`,
  ];
}

function meansLine({ names, scores: { a, b } }: Comparison): string {
  const mean = ({ stratifiedMean }: ModelScore): string => (stratifiedMean === null ? "–" : points(stratifiedMean));
  return `stratified mean of these answers, the ranking statistic: ${names.a} ${mean(a)}, ${names.b} ${mean(b)}`;
}
