import type { BridgedScore } from "../estimate/bridged-score.ts";
import type { Estimate, ScenarioResult } from "../estimate/types.ts";
import { INTERVAL_MEANING, intervalWords, placeWords, scoreWords } from "../words/result-words.ts";
import { percent, points } from "../words/figures.ts";
import { textTable } from "./text-table.ts";

/** An estimate for people: points with one decimal. */
export function estimateLines(
  estimate: Estimate,
  { verbose = false, bridged = null }: { readonly verbose?: boolean; readonly bridged?: BridgedScore | null } = {},
): string[] {
  const { benchmark, version, form, scenarios, warnings } = estimate;
  const results = Object.entries(scenarios);
  const level = firstLevel(estimate);
  const rows = [
    ["", "score", level === null ? "interval" : `${percent(level)} interval`, "answered", ""],
    ...(results.length > 1
      ? [
          [
            "overall",
            scoreWords(estimate.score),
            intervalWords(estimate.interval),
            `${estimate.answered} of ${estimate.of}`,
            "",
          ],
        ]
      : []),
    ...results.map(([id, result]) => [
      id,
      scoreWords(result.score),
      intervalWords(result.interval),
      `${result.answered} of ${result.of}`,
      placeWords(result),
    ]),
  ];
  return [
    `${benchmark} ${version}, form ${form}: ${estimate.answered} of ${estimate.of} items answered`,
    "",
    ...textTable(rows, "lrrrl"),
    "",
    ...(level === null ? [] : [INTERVAL_MEANING]),
    ...(bridged === null ? [] : [bridgedWords(bridged)]),
    ...(estimate.reason === null ? [] : [`overall: ${estimate.reason}`]),
    ...warnings.map(({ message }) => `warning: ${message}`),
    ...(verbose ? ["", ...results.flatMap(([id, result]) => detailLines(id, result))] : []),
  ];
}

/** What the score would have been in the version before. */
function bridgedWords({ benchmark, version, overall, scenarios }: BridgedScore): string {
  const named = [["overall", overall] as const, ...Object.entries(scenarios)];
  const told = named.flatMap(([id, own]) =>
    own === null
      ? []
      : [
          `${id} ${points(own.score)}${own.interval ? ` (${points(own.interval.low)} to ${points(own.interval.high)})` : ""}`,
        ],
  );
  return `as ${benchmark} ${version} would have scored it: ${told.length > 0 ? told.join(", ") : "not known"}`;
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
