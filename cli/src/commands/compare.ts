import { compareFromAnchors } from "anchoreval/internal/compare/compare-from-anchors";
import { rankFromAnchors } from "anchoreval/internal/compare/rank-from-anchors";
import type { Comparison, Difference, ModelScore, Ranking } from "anchoreval/internal/compare/types";
import {
  differenceWords,
  INTERVAL_MEANING,
  mcNemarWords,
  scoreWords,
  verdictWords,
} from "anchoreval/internal/words/result-words";
import { percent, points, signedPoints } from "anchoreval/internal/words/figures";
import {
  type Answered,
  ANSWER_DATA_OPTIONS,
  estimateOptions,
  FORM_OPTION,
  LEVEL_OPTION,
  readModel,
  withAnswers,
} from "../options/answers.ts";
import type { ReadModel } from "../anchor-logs.ts";
import { readPoints } from "../options/scale.ts";
import { type Command, option, flag, invalidOption } from "../command.ts";
import { BUNDLE_OPTION, readBundle } from "../open-bundle.ts";
import { addSummary, plainLines, readSideFile, type ResultParts, SUMMARY_OPTION } from "../summary.ts";

export const compareCommand: Command = {
  operands: { usage: "[PATH PATH…]", option: "responses" },
  options: {
    Data: {
      ...BUNDLE_OPTION,
      a: option("PATH", "answers of model A, in the format of estimate"),
      b: option("PATH", "answers of model B"),
      responses: option("PATH", "answers of two models, as --a and --b, or of more, to rank; of two or more, to race", {
        multiple: true,
      }),
      ...ANSWER_DATA_OPTIONS,
    },
    Comparison: {
      ...FORM_OPTION,
      margin: option("POINTS", "the largest difference that doesn't matter (default 0, of a race 0.5pt)"),
      race: flag("ask round after round, and only who may still win"),
      ...LEVEL_OPTION,
    },
    Output: {
      next: option("FILE", "with --race: write the ids of the items to ask next, by candidate, as JSON"),
      ...SUMMARY_OPTION,
      verbose: flag("also every scenario's test and the ranking statistic"),
    },
  },
  examples: [
    "compare --bundle bundles/quiz --a before.json --b after.json --margin 1",
    "compare --bundle bundles/quiz model-1.json model-2.json model-3.json",
  ],
  run: async (input) => {
    const { options, output, signal } = input;
    if (options.flag("race")) return (await import("../race/race.ts")).race(input);
    options.refuse(["next"], "needs --race, which isn't given");
    const named = [options.text("a"), options.text("b")].flatMap((path) => path ?? []);
    const listed = options.texts("responses");
    const paths = named.length === 2 ? named : listed;
    if (named.length + listed.length !== paths.length || paths.length < 2)
      throw invalidOption("give two PATHs, or --a PATH --b PATH, or three PATHs or more to be ranked");
    const pair = paths.length === 2;
    const margin = readPoints(options, "margin", { min: 0 }) ?? 0;
    if (margin > 0 && !pair) throw invalidOption("--margin is for two models");
    const summary = await readSideFile(options, "summary");
    const bundle = await readBundle(options, signal);
    const remark = (words: string, model: string): void => output.remark(`${model}: ${words}`);
    const models: ReadModel[] = [];
    for (const path of paths) models.push(await readModel([path], bundle, options, remark));
    const shared = estimateOptions(options);
    if (pair) {
      const [first, second] = distinct(models);
      const comparison = withAnswers(compareFromAnchors(bundle, first!, second!, { ...shared, margin }), models);
      output.result(comparison, plainLines(comparisonParts(comparison, options.flag("verbose"))));
      const { benchmark, version } = comparison;
      const heading = `${benchmark} ${version}: ${verdictWords(comparison)[0]!}`;
      await addSummary(summary, heading, comparisonParts(comparison, false));
    } else {
      const ranking = withAnswers(rankFromAnchors(bundle, distinct(models), shared), models);
      output.result(ranking, plainLines(rankingParts(ranking)));
      const { benchmark, version } = ranking;
      await addSummary(summary, `${benchmark} ${version}: ${ranking.models.length} models`, rankingParts(ranking));
    }
  },
};

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
    ...(comparison.interval === null ? [] : [INTERVAL_MEANING]),
    ...warnings.map(({ message }) => `warning: ${message}`),
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

function rankingParts({
  benchmark,
  version,
  form,
  level,
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
          `The places are of the full scores among these models, all of them right together with ${percent(level)} confidence; a score's interval is for it alone.`,
        ]
      : [`no places: ${reason}`]),
    ...warnings.map(({ message }) => `warning: ${message}`),
  ];
}
