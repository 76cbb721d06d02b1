import type { Interval, ScenarioResult } from "../estimate/types.ts";
import { points } from "./figures.ts";

/** The meaning of an interval: said beside every one. */
export const INTERVAL_MEANING =
  "The interval is for the score that this run would have got on all items of this benchmark version: not sampling noise, other prompts or other items.";

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
