import type { Comparison, Difference, ModelScore } from "../compare/types.ts";
import type { Interval } from "../estimate/types.ts";
import { INTERVAL_MEANING } from "./estimate-lines.ts";
import { points, textTable } from "./text-table.ts";

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
    ...([comparison, ...results.map(([, result]) => result)].some(leansOnLike)
      ? [
          "The difference is that of the corrected means (p-irt-dr), not of these scores, which lean on models like those seen.",
        ]
      : []),
    ...verdictLines(comparison),
    mcnemarLine(comparison, names),
    ...(verbose ? results.map(([id, result]) => `${id}: ${mcnemarLine(result, names)}`) : []),
    ...(verbose ? [meansLine(comparison)] : []),
    ...(comparison.interval === null ? [] : [INTERVAL_MEANING]),
    ...warnings.map(({ message }) => `warning: ${message}`),
  ];
}

function row(label: string, { scores, difference, interval, answered, of }: Difference): string[] {
  const text = difference === null ? "–" : signed(difference);
  return [label, scoreText(scores.a), scoreText(scores.b), text, intervalText(interval), `${answered} of ${of}`];
}

/** Whether a difference isn't that of the scores beside it, to a tenth of a point. */
function leansOnLike({ difference, scores: { a, b } }: Difference): boolean {
  if (difference === null || a.score === null || b.score === null) return false;
  return Math.abs(b.score - a.score - difference) > 0.001;
}

/** The verdict, and what it rests on. */
function verdictLines(comparison: Comparison): string[] {
  const { verdict, names, margin, moreItems, difference, oneSidedConfidence, reason } = comparison;
  if (verdict === null) return [`no verdict: ${reason ?? "there is no interval"}`];
  const by = margin > 0 ? ` by more than ${points(margin)} points` : "";
  const words = {
    "a-better": `${names.a} is better${by}`,
    "b-better": `${names.b} is better${by}`,
    "no-difference": `no difference larger than ${margin > 0 ? `the margin of ${points(margin)} points` : "0"}`,
    undecided: `can't tell: about ${Number((moreItems ?? 0).toPrecision(2))} more items would, if the difference stayed what it is`,
  }[verdict];
  if (oneSidedConfidence === null || difference === 0) return [words];
  const ahead = oneSidedConfidence >= 0.5;
  const confidence = percent(ahead ? oneSidedConfidence : 1 - oneSidedConfidence);
  return [words, `one-sided confidence that ${ahead ? names.b : names.a} is better: ${confidence}`];
}

function mcnemarLine({ mcnemar: { aHigher, bHigher, pValue } }: Difference, { a, b }: Comparison["names"]): string {
  return `raw answers: ${b} higher on ${bHigher} items, ${a} on ${aHigher}; mid-p McNemar ${pValue < 0.0001 ? "below 0.0001" : pValue.toPrecision(2)} (two-sided)`;
}

function meansLine({ names, scores: { a, b } }: Comparison): string {
  const mean = ({ stratifiedMean }: ModelScore): string => (stratifiedMean === null ? "–" : points(stratifiedMean));
  return `stratified mean of these answers, the ranking statistic: ${names.a} ${mean(a)}, ${names.b} ${mean(b)}`;
}

function scoreText({ score }: ModelScore): string {
  return score === null ? "–" : points(score);
}

function intervalText(interval: Interval | null): string {
  if (interval === null) return "none";
  return interval.method === "exact" ? "exact" : `${signed(interval.low)} to ${signed(interval.high)}`;
}

/** A difference in points with its sign. */
function signed(difference: number): string {
  const text = points(Math.abs(difference));
  return Number(text) === 0 ? text : `${difference < 0 ? "−" : "+"}${text}`;
}

/** Never rounded up to certainty. */
function percent(share: number): string {
  if (share === 1) return "100 %";
  if (share > 0.9999) return "above 99.99 %";
  const value = 100 * share;
  return `${Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : Math.min(99.99, value).toFixed(value > 99.9 ? 2 : 1)} %`;
}
