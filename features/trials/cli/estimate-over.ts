import type { TrialEstimate, TrialIntervals } from "anchoreval/internal/features/trials/sdk/estimate-trials";
import { count, counted, points } from "anchoreval/internal/words/figures";
import { intervalWords } from "anchoreval/internal/words/result-words";
import type { ResultParts } from "../../../cli/src/program/summary.ts";

/** How a run's noise is known, in words. */
const BASIS_WORDS: Readonly<Record<NonNullable<TrialIntervals["basis"]>, string>> = {
  trials: "by this model's trials",
  components: "by those of the source models, as no item was tried twice",
  bound: "at most: no item was tried twice, nor do the source models tell",
};

/** Intervals over runs, and over tasks, for people. */
export function overParts(
  { trials, scenarios, interval }: Pick<TrialEstimate, "trials" | "scenarios" | "interval">,
  over: "runs" | "tasks",
  isGrouped: boolean,
): ResultParts {
  const named = Object.entries(trials.scenarios);
  const rows = [...(named.length > 1 ? [["overall", trials.overall] as const] : []), ...named];
  const [, whole] = rows[0]!;
  const level = interval?.level ?? Object.values(scenarios).find((scenario) => scenario.interval)?.interval?.level;
  if (level === undefined) return [];
  return [
    "",
    {
      rows: [
        ["", "this run", "over runs", ...(over === "tasks" ? ["over tasks"] : []), "run to run"],
        ...rows.map(([id, intervals]) => [
          id,
          intervalWords(intervals.run),
          intervalWords(intervals.expected),
          ...(over === "tasks" ? [intervalWords(intervals.tasks)] : []),
          intervals.runDeviation === null ? "–" : `± ${points(intervals.runDeviation)}`,
        ]),
      ],
      align: over === "tasks" ? "lrrrr" : "lrrr",
    },
    "",
    `${counted(trials.count, "trial")}, ${perItem(trials.perItem)} an item. Over runs: for the model's expected score on these items.${over === "tasks" ? " Over tasks: for that on other tasks like these." : ""}`,
    ...(isGrouped
      ? ["Items of one group are taken to have been drawn together: fewer draws, and wider over tasks."]
      : []),
    ...(whole.basis === null
      ? []
      : [`Run to run: standard deviation of the score of all items, known ${BASIS_WORDS[whole.basis]}.`]),
  ];
}

/** @example perItem(2.9999999) // "3" */
function perItem(trials: number): string {
  const rounded = Math.round(10 * trials) / 10;
  return Number.isInteger(rounded) ? count(rounded) : String(rounded);
}
