import type { Comparison, Difference, Over } from "../compare/types.ts";
import type { Interval, ScenarioResult } from "../estimate/types.ts";
import { points, signedPoints } from "./figures.ts";

/** The meaning of an interval: said beside every one. */
export const INTERVAL_MEANING =
  "The interval is for the score that this run would have got on all items of this benchmark version: not sampling noise, other prompts or other items.";

/** The meaning of a difference and its verdict, by that which they are said of: beside every one. */
export const OVER_MEANING: Readonly<Record<Over, string>> = {
  runs: "Difference and verdict are for the models over runs on these items, by what their trials differ: not other items.",
  tasks: "Difference and verdict are for the models on tasks like these: other runs and other tasks would differ.",
  "these-answers":
    "Difference and verdict are for the scores that these very runs would have got on all items: two runs of one model may differ by as much.",
};

/**
 * Where a model lies against those that the bundle was fitted on, in words.
 * @example placeWords(estimate.scenarios["gsm8k"]) // "like the models seen, above 42 % of them"
 */
export function placeWords({ predicted, exact, range, percentile, details }: ScenarioResult): string {
  if (predicted) return "predicted, not asked";
  if (range === null) return "";
  const above = (details?.outside.above ?? 0) > (details?.outside.below ?? 0);
  const place = {
    inside: "like the models seen",
    edge: above ? "near the strongest seen" : "near the weakest seen",
    outside: above ? "stronger than any seen" : "weaker than any seen",
  }[range];
  const better = percentile === null || range === "outside" ? "" : `, above ${Math.round(100 * percentile)} % of them`;
  return `${place}${better}${exact ? " (exact: every item was answered)" : ""}`;
}

/** A score in points. @example scoreWords(0.6243) // "62.4" */
export function scoreWords(score: number | null): string {
  return score === null ? "–" : points(score);
}

/** An interval in points. @example intervalWords(estimate.interval) // "58.1 to 66.0" */
export function intervalWords(interval: (Omit<Interval, "method"> & Partial<Pick<Interval, "method">>) | null): string {
  if (interval === null) return "none";
  return interval.method === "exact" ? "exact" : `${points(interval.low)} to ${points(interval.high)}`;
}

/**
 * The verdict, and what it rests on.
 * @example verdictWords(comparison) // ["new is better", "one-sided confidence that new is better: 99.2 %"]
 */
export function verdictWords(comparison: Omit<Comparison, "warnings">): string[] {
  const { verdict, names, margin, over, moreItems, difference, oneSidedConfidence, reason } = comparison;
  if (verdict === null) return [`no verdict: ${reason ?? "there is no interval"}`];
  const is = over === "these-answers" ? "scored higher" : "is better";
  const by = margin > 0 ? ` by more than ${points(margin)} points` : "";
  const more =
    moreItems === null
      ? `not even all items would, if the difference stayed what it is; ${over === "runs" ? "more" : "several"} runs of each model may`
      : `about ${Number(moreItems.toPrecision(2))} more items would, if the difference stayed what it is`;
  const words = {
    "a-better": `${names.a} ${is}${by}`,
    "b-better": `${names.b} ${is}${by}`,
    "no-difference": `no difference larger than ${margin > 0 ? `the margin of ${points(margin)} points` : "0"}`,
    undecided: `can't tell: ${more}`,
  }[verdict];
  if (oneSidedConfidence === null || oneSidedConfidence === 0.5 || difference === 0) return [words];
  const ahead = oneSidedConfidence >= 0.5;
  const sure = confidence(ahead ? oneSidedConfidence : 1 - oneSidedConfidence);
  return [words, `one-sided confidence that ${ahead ? names.b : names.a} ${is}: ${sure}`];
}

/** McNemar's test of the raw answers. */
export function mcNemarWords(
  { mcnemar: { aHigher, bHigher, pValue } }: Difference,
  { a, b }: Comparison["names"],
): string {
  return `raw answers: ${b} higher on ${bHigher} items, ${a} on ${aHigher}; mid-p McNemar ${pValue < 0.0001 ? "below 0.0001" : pValue.toPrecision(2)} (two-sided)`;
}

/** The interval of a difference, in points. @example differenceWords(comparison.interval) // "−1.4 to +3.2" */
export function differenceWords(interval: Interval | null): string {
  if (interval === null) return "none";
  return interval.method === "exact" ? "exact" : `${signedPoints(interval.low)} to ${signedPoints(interval.high)}`;
}

/** Never rounded up to certainty. */
function confidence(share: number): string {
  if (share === 1) return "100 %";
  if (share > 0.9999) return "above 99.99 %";
  const value = 100 * share;
  return `${Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : Math.min(99.99, value).toFixed(value > 99.9 ? 2 : 1)} %`;
}
