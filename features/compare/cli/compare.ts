import { compareFromAnchors } from "anchoreval/internal/features/compare/sdk/compare-from-anchors";
import { rankFromAnchors } from "anchoreval/internal/features/compare/sdk/rank-from-anchors";
import type { Comparison, Difference, ModelScore, Ranking } from "anchoreval/internal/features/compare/sdk/types";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import type { ItemTrials } from "anchoreval/internal/tables/item-trials";
import { scoreWords } from "anchoreval/internal/words/result-words";
import {
  differenceWords,
  mcNemarWords,
  OVER_MEANING,
  verdictWords,
} from "anchoreval/internal/features/compare/sdk/verdict-words";
import { percent, points, signedPoints } from "anchoreval/internal/words/figures";
import {
  type Answered,
  ANSWER_DATA_OPTIONS,
  estimateOptions,
  FORM_OPTION,
  LEVEL_OPTION,
  readModel,
  withAnswers,
} from "../../../cli/src/options/answers.ts";
import type { ReadModel } from "anchoreval/internal/node/logs/anchor-logs";
import { readPoints } from "../../../cli/src/options/scale.ts";
import { type Command, option, flag } from "../../../cli/src/program/command.ts";
import { BUNDLE_OPTION, readBundle } from "../../../cli/src/bundles/open-bundle.ts";
import {
  addSummary,
  plainLines,
  readSideFile,
  type ResultParts,
  SUMMARY_OPTION,
} from "../../../cli/src/program/summary.ts";
import { warningLines } from "../../../cli/src/program/output.ts";

const OVER = ["runs", "tasks", "these-answers"] as const;

export const compareCommand: Command = {
  operands: { usage: "[PATH PATH…]", option: "responses" },
  options: {
    Data: {
      ...BUNDLE_OPTION,
      a: option("PATH", "answers of model A, in the format of estimate; several runs are averaged", { multiple: true }),
      b: option("PATH", "answers of model B, the same", { multiple: true }),
      responses: option("PATH", "answers of two models, as --a and --b, or of more, to rank", {
        multiple: true,
      }),
      ...ANSWER_DATA_OPTIONS,
    },
    Comparison: {
      ...FORM_OPTION,
      margin: option("POINTS", "the largest difference that doesn't matter (default 0)"),
      over: option(
        "WHAT",
        "what is said: runs or tasks, of the models, or these-answers, of these scores (default: runs where trials tell, else tasks)",
        { choices: OVER },
      ),
      ...LEVEL_OPTION,
    },
    Output: {
      ...SUMMARY_OPTION,
      verbose: flag("also every scenario's test and the ranking statistic"),
    },
  },
  examples: [
    "compare --bundle bundles/quiz --a before.json --b after.json --margin 1",
    "compare --bundle bundles/quiz model-1.json model-2.json model-3.json",
  ],
  run: async ({ options, output, signal }) => {
    const sides = [options.texts("a"), options.texts("b")];
    const listed = options.texts("responses");
    const isSided = sides.flat().length > 0;
    const groups = isSided ? sides : listed.map((path) => [path]);
    if (groups.length < 2 || groups.some((paths) => paths.length === 0) || (isSided && listed.length > 0))
      throw invalidOption("give two PATHs, or --a PATH --b PATH, or three PATHs or more to be ranked");
    const pair = groups.length === 2;
    const margin = readPoints(options, "margin", { min: 0 }) ?? 0;
    if (margin > 0 && !pair) throw invalidOption("--margin is for two models");
    const summary = await readSideFile(options, "summary");
    const bundle = await readBundle(options, signal);
    const models: ReadModel[] = [];
    for (const paths of groups) {
      const runs: ReadModel[] = [];
      for (const path of paths) runs.push(await readModel([path], bundle, options));
      models.push(averaged(runs));
    }
    const over = options.isGiven("over") && { over: options.oneOf("over", OVER, "tasks") };
    const shared = { ...estimateOptions(options), ...over };
    const named = distinct(models);
    const compared = named.map(withTrials);
    if (pair) {
      const [first, second] = compared;
      const comparison = withAnswers(compareFromAnchors(bundle, first!, second!, { ...shared, margin }), named);
      output.result(comparison, plainLines(comparisonParts(comparison, options.flag("verbose"))));
      const { benchmark, version } = comparison;
      const heading = `${benchmark} ${version}: ${verdictWords(comparison)[0]!}`;
      await addSummary(summary, heading, comparisonParts(comparison, false));
    } else {
      const ranking = withAnswers(rankFromAnchors(bundle, compared, shared), named);
      output.result(ranking, plainLines(rankingParts(ranking)));
      const { benchmark, version } = ranking;
      await addSummary(summary, `${benchmark} ${version}: ${ranking.models.length} models`, rankingParts(ranking));
    }
  },
};

/**
 * Several runs of a model as one, its items' trials those of all runs.
 * @throws AnchorEvalError `invalid_option` for runs of different forms; `item_changed` for runs on different contents of an item
 */
function averaged(runs: readonly ReadModel[]): ReadModel {
  const [first] = runs as [ReadModel];
  if (runs.length === 1) return first;
  const hashes = new Map<string, string>();
  for (const { hashes: contents, name } of runs)
    for (const [id, hash] of contents) {
      if ((hashes.get(id) ?? hash) !== hash)
        throw new AnchorEvalError("item_changed", `${first.name} and ${name} are runs on different contents of ${id}`);
      hashes.set(id, hash);
    }
  const ids = new Set(runs.flatMap(({ responses }) => [...responses.keys()]));
  const trialsOf = (id: string) =>
    runs.flatMap((run) => scoresOf(run.trials?.get(id) ?? [run.responses.get(id) ?? null]));
  const trials = new Map([...ids].map((id) => [id, trialsOf(id)]));
  return {
    ...first,
    responses: new Map([...ids].map((id) => [id, null])),
    trials,
    hashes,
    warnings: runs.flatMap(({ warnings }) => warnings),
  };
}

function scoresOf(trials: ItemTrials): readonly (number | null)[] {
  if (!("passed" in trials)) return trials;
  return Array.from({ length: trials.of }, (_, k) => (k < trials.passed ? 1 : 0));
}

/** A model's answers with the trials of those that have several. */
function withTrials(model: ReadModel) {
  const { responses, trials } = model;
  if (!trials) return model;
  return { ...model, responses: new Map([...responses].map(([id, score]) => [id, trials.get(id) ?? score])) };
}

/** Models by names of their own: one that stands twice gets a number. */
function distinct(models: readonly ReadModel[]): ReadModel[] {
  const seen = new Map<string, number>();
  return models.map((model) => {
    const before = seen.get(model.name) ?? 0;
    seen.set(model.name, before + 1);
    return before === 0 ? model : { ...model, name: `${model.name} (${before + 1})` };
  });
}

/** A comparison of two models for people: points with one decimal, and the verdict in words. */
function comparisonParts(comparison: Answered<Comparison>, verbose: boolean): ResultParts {
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
    { rows, align: "lrrrrr" },
    "",
    ...verdictWords(comparison),
    mcNemarWords(comparison, names),
    ...(verbose ? results.map(([id, result]) => `${id}: ${mcNemarWords(result, names)}`) : []),
    ...(verbose ? [meansLine(comparison)] : []),
    ...(comparison.interval === null ? [] : [OVER_MEANING[comparison.over]]),
    ...warningLines(warnings),
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

function meansLine({ names, scores: { a, b } }: Omit<Comparison, "warnings">): string {
  const mean = ({ stratifiedMean }: ModelScore): string => (stratifiedMean === null ? "–" : points(stratifiedMean));
  return `stratified mean of these answers, the ranking statistic: ${names.a} ${mean(a)}, ${names.b} ${mean(b)}`;
}

const PLACES_MEANING: Readonly<Record<Ranking["over"], string>> = {
  runs: "They are those of the models over runs on these items, by what their trials differ.",
  tasks: "They are those of the models on tasks like these: other runs and other tasks would differ.",
  "these-answers":
    "They are those of these very runs' scores on all items: two runs of one model have places of their own.",
};

function rankingParts({
  benchmark,
  version,
  form,
  level,
  over,
  reason,
  answered,
  of,
  models,
  warnings,
}: Answered<Ranking>): ResultParts {
  const rows = [
    ["", "model", "stratified mean", "score", `${percent(level)} interval`, "place is in"],
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
    { rows, align: "rlrrrr" },
    "",
    ...(reason === null
      ? [
          `The places are among these models, all of them right together with ${percent(level)} confidence; a score's interval is for it alone, and this run.`,
          PLACES_MEANING[over],
        ]
      : [`no places: ${reason}`]),
    ...warningLines(warnings),
  ];
}
