import type { Estimate, Interval, ScenarioResult } from "../estimate/types.ts";
import { points, textTable } from "./text-table.ts";

/** What the interval means: said beside every one. */
export const INTERVAL_MEANING =
  "The interval is for the score that this run would have got on all items of this benchmark version: not sampling noise, other prompts or other items.";

/** An estimate for people: points with one decimal. */
export function estimateLines(estimate: Estimate, { verbose = false }: { verbose?: boolean } = {}): string[] {
  const { benchmark, version, form, scenarios, warnings } = estimate;
  const results = Object.entries(scenarios);
  const level = firstLevel(estimate);
  const rows = [
    ["", "score", level === null ? "interval" : `${percent(level)} interval`, "answered", ""],
    ...(results.length > 1
      ? [
          [
            "overall",
            scoreText(estimate.score),
            intervalText(estimate.interval),
            `${estimate.answered} of ${estimate.of}`,
            "",
          ],
        ]
      : []),
    ...results.map(([id, result]) => [
      id,
      scoreText(result.score),
      intervalText(result.interval),
      `${result.answered} of ${result.of}`,
      placeText(result),
    ]),
  ];
  return [
    `${benchmark} ${version}, form ${form}: ${estimate.answered} of ${estimate.of} items answered`,
    "",
    ...textTable(rows, "lrrrl"),
    "",
    ...(level === null ? [] : [INTERVAL_MEANING]),
    ...(estimate.reason === null ? [] : [`overall: ${estimate.reason}`]),
    ...warnings.map(({ message }) => `warning: ${message}`),
    ...(verbose ? ["", ...results.flatMap(([id, result]) => detailLines(id, result))] : []),
  ];
}

/** Where a model lies against those that the bundle was fitted on, in words. */
function placeText({ exact, range, percentile, details }: ScenarioResult): string {
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

function detailLines(id: string, { details, interval, answeredShare }: ScenarioResult): string[] {
  if (details === null) return [];
  const abilities = details.theta.map(
    (theta, d) => `${theta.toFixed(3)} ± ${details.thetaStandardError[d]!.toFixed(3)}`,
  );
  return [
    id,
    `  θ ${abilities.join(", ")} (${details.thetaStatus}), λ ${details.lambda.toFixed(3)}, answered share of weight ${answeredShare.toFixed(3)}${interval ? `, interval ${interval.method}` : ""}`,
    `  chance that the full score is above every model seen ${percent(details.outside.above)}, below ${percent(details.outside.below)}`,
    ...Object.entries(details.estimators).map(
      ([name, score]) => `  ${name.padEnd(12)} ${points(score)}${name === details.estimator ? "  (the score)" : ""}`,
    ),
  ];
}

function firstLevel({ interval, scenarios }: Estimate): number | null {
  return (
    [interval, ...Object.values(scenarios).map((result) => result.interval)].find((found) => found !== null)?.level ??
    null
  );
}

function scoreText(score: number | null): string {
  return score === null ? "–" : points(score);
}

function intervalText(interval: Interval | null): string {
  if (interval === null) return "none";
  return interval.method === "exact" ? "exact" : `${points(interval.low)} to ${points(interval.high)}`;
}

function percent(share: number): string {
  const value = 100 * share;
  return `${Number.isInteger(Math.round(value * 1e6) / 1e6) ? Math.round(value) : value.toFixed(1)} %`;
}
