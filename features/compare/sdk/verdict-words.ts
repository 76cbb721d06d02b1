import type { Interval } from "../../../sdk/estimate/types.ts";
import { points, signedPoints } from "../../../sdk/words/figures.ts";
import type { Comparison, Difference, Over } from "./types.ts";

/** The meaning of a difference and its verdict, by that which they are said of: beside every one. */
export const OVER_MEANING: Readonly<Record<Over, string>> = {
  runs: "Difference and verdict are for the models over runs on these items, by what their trials differ: not other items.",
  tasks: "Difference and verdict are for the models on tasks like these: other runs and other tasks would differ.",
  "these-answers":
    "Difference and verdict are for the scores that these very runs would have got on all items: two runs of one model may differ by as much.",
};

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
