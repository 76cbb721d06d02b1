import type { Ranking } from "../compare/types.ts";
import { points } from "../words/figures.ts";
import { textTable } from "./text-table.ts";

/** A ranking for people. */
export function rankingLines({
  benchmark,
  version,
  form,
  level,
  reason,
  answered,
  of,
  models,
  warnings,
}: Ranking): string[] {
  const percent = `${Math.round(1000 * level) / 10} %`;
  const rows = [
    ["", "model", "stratified mean", "score", `${percent} interval`, "place is in"],
    ...models.map(({ name, rank, stratifiedMean, score, interval, rankInterval }) => [
      rank === null ? "–" : `${rank}`,
      name,
      stratifiedMean === null ? "–" : points(stratifiedMean),
      score === null ? "–" : points(score),
      interval === null ? "none" : `${points(interval.low)} to ${points(interval.high)}`,
      rankInterval === null ? "–" : `${rankInterval.low} to ${rankInterval.high}`,
    ]),
  ];
  return [
    `${benchmark} ${version}, form ${form}: ${answered} of ${of} items answered by all; only these count`,
    "",
    ...textTable(rows, "rlrrrr"),
    "",
    ...(reason === null
      ? [
          `The places are of the full scores among these models, all of them right together with ${percent} confidence; a score's interval is for it alone.`,
        ]
      : [`no places: ${reason}`]),
    ...warnings.map(({ message }) => `warning: ${message}`),
  ];
}
