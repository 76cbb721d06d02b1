import type { TrialEstimate, TrialIntervals } from "anchoreval/internal/features/trials/sdk/estimate-trials";
import { count, counted, points, percent } from "anchoreval/internal/words/figures";
import { intervalWords, scoreWords } from "anchoreval/internal/words/result-words";
import type { ResultParts } from "../../../cli/src/program/summary.ts";
import type { PassEstimate, PassResult } from "anchoreval/internal/features/trials/sdk/estimate-pass-at-k";
import { parseTrialMetric } from "anchoreval/internal/features/trials/sdk/pass-at-k";
import type { Answered } from "../../../cli/src/options/answers.ts";
import { warningLines } from "../../../cli/src/program/output.ts";

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

/** An estimate of a score of several trials, for people. */
export function passParts(estimate: Answered<PassEstimate>): ResultParts {
  const { benchmark, version, form, metric, basis, scenarios, warnings } = estimate;
  const named = Object.entries<PassResult>(scenarios);
  const all: [string, PassResult][] = named.length > 1 ? [["overall", estimate], ...named] : named;
  const level = all.find(([, { interval }]) => interval)?.[1].interval?.level;
  const rows = [
    ["", metric, level === undefined ? "interval" : `${percent(level)} interval`, "answered"],
    ...all.map(([id, { score, interval, answered, of }]) => [
      id,
      scoreWords(score),
      intervalWords(interval),
      `${answered} of ${of}`,
    ]),
  ];
  return [
    `${benchmark} ${version}, form ${form}: ${estimate.answered} of ${estimate.of} items answered`,
    "",
    { rows, align: "lrrr" },
    "",
    `${meaning(metric)} The interval is for all items of this benchmark version.`,
    ...(basis === "spread"
      ? [
          "Chances are taken to vary about those of the response model by a beta distribution, which the trials tell of; so the estimate may rest on fewer trials an item than it is of.",
        ]
      : []),
    ...(estimate.reason === null ? [] : [`overall: ${estimate.reason}`]),
    ...warningLines(warnings),
  ];
}

function meaning(metric: string): string {
  const { kind, k } = parseTrialMetric(metric)!;
  const trials = k === 1 ? "one trial" : `${k} trials`;
  return {
    "pass@": `${metric}: the share of items of which one of ${trials} passes at least, on the mean.`,
    "pass^": `${metric}: the share of items of which ${trials} pass one and all, on the mean.`,
    "best-of-": `${metric}: the best score of ${trials} of an item, on the mean.`,
  }[kind];
}

/** @example "quiz 1.0.0: pass@16 62.4, 95 % interval 58.1 to 66.0" */
export function passHeading({ benchmark, version, metric, scenarios, ...overall }: Answered<PassEstimate>): string {
  const named = Object.values<PassResult>(scenarios);
  const { score, interval } = named.length === 1 ? named[0]! : overall;
  const width = interval === null ? "" : `, ${percent(interval.level)} interval ${intervalWords(interval)}`;
  return `${benchmark} ${version}: ${metric} ${scoreWords(score)}${width}`;
}
