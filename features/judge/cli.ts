import { invalidOption } from "anchoreval/internal/core/errors";
import { estimateFromJudge, type JudgedEstimate } from "anchoreval/internal/features/judge/sdk/estimate-from-judge";
import { readAnswers } from "anchoreval/internal/node/read-file";
import type { TrialResponses } from "anchoreval/internal/tables/item-trials";
import { count, counted, percent, points } from "anchoreval/internal/words/figures";
import { intervalWords, scoreWords } from "anchoreval/internal/words/result-words";
import type { EstimatePart } from "../../cli/src/options/parts.ts";
import { ANSWER_DATA_OPTIONS } from "../../cli/src/options/answers.ts";
import { readPoints, readScale, SCALE_OPTIONS } from "../../cli/src/options/scale.ts";
import { type Command, given, option } from "../../cli/src/program/command.ts";
import { writeOver } from "../../cli/src/program/errors.ts";
import { warningLines } from "../../cli/src/program/output.ts";
import { addSummary, plainLines, readSideFile, type ResultParts } from "../../cli/src/program/summary.ts";

/** `estimate --judge`: people's score of all items, from a judge's scores of all and people's labels of some. */
export const estimateJudged: EstimatePart = {
  options: {
    "A judge and few labels": {
      judge: option("FILE", "a judge's scores of all items, in place of a bundle: what would people's mean be?"),
      labels: option("FILE", "people's scores of some of them, drawn at random; several of an item are averaged"),
      "label-range": option("WORST,BEST", "bounds of the labels, where the judge has others (default --score-range's)"),
      "half-width": option("POINTS", "half-width that is wanted: how many labels it takes"),
      next: option("FILE", "write the items to label for it, drawn at random"),
    },
  },
  instead: { of: "judge", run: runJudged },
};

async function runJudged({ options, output }: Parameters<Command["run"]>[0]): Promise<void> {
  options.refuse(NO_BUNDLE, "is for a bundle's anchors, and --judge takes none");
  const [judgeFile, labelsFile] = [options.required("judge"), options.text("labels")];
  const [halfWidth, next] = [readPoints(options, "half-width"), await readSideFile(options, "next")];
  const summary = await readSideFile(options, "summary");
  if ((halfWidth === undefined) !== (next === undefined))
    throw invalidOption("--half-width and --next go together: how sure, and the file for the items to label");
  if (labelsFile === undefined && next === undefined)
    throw invalidOption(
      "--labels FILE has people's scores; without any, --half-width and --next say what to label first",
    );
  const scale = readScale(options);
  const { answers: judge } = await readAnswers(judgeFile, scale);
  const labelScale = options.isGiven("label-range") ? readScale(options, "label-range") : scale;
  const labels =
    labelsFile === undefined ? new Map<string, number>() : (await readAnswers(labelsFile, labelScale)).answers;
  const level = options.number("level", { min: 0, max: 1 }, 0.95);
  const result = estimateFromJudge(judge, labels, { level, ...given({ halfWidth }) });
  if (next !== undefined) await writeOver(next, result.next!.items.map((id) => `${id}\n`).join(""));
  const parts = judgedWords(result, halfWidth, next);
  output.result(result, plainLines(parts));
  await addSummary(summary, `people's score ${scoreWords(result.score)}, ${intervalWords(result.interval)}`, parts);
}

/** The same for a program in another language. @param models - the judge's scores, and people's */
export function estimateSent(
  [judge, labels]: readonly { readonly responses: unknown }[],
  options: Parameters<typeof estimateFromJudge>[2],
): JudgedEstimate {
  return estimateFromJudge(judge!.responses as TrialResponses, labels!.responses as TrialResponses, options);
}

/** Options of `estimate` that need a bundle: all of its answers' but their scale. */
const NO_BUNDLE = ["bundle", "responses", "form", "verbose"].concat(
  Object.keys(ANSWER_DATA_OPTIONS).filter((name) => !Object.hasOwn(SCALE_OPTIONS, name)),
);

function judgedWords(result: JudgedEstimate, halfWidth: number | undefined, file: string | undefined): ResultParts {
  const { items, labelled, score, interval, labels, judge, worth, next } = result;
  const rows = [
    ["", "score", interval === null ? "interval" : `${percent(interval.level)} interval`, ""],
    ["people", scoreWords(score), intervalWords(interval), `${count(labelled)} of ${count(items)} items labelled`],
    ...(labels === null ? [] : [["labels alone", scoreWords(labels.score), intervalWords(labels.interval), ""]]),
    ["the judge's own mean", scoreWords(judge.score), "", judge.bias === null ? "" : biasWords(judge.bias)],
  ];
  return [
    { rows, align: "lrrl" },
    "",
    ...(interval === null
      ? []
      : ["The interval is for the mean of people's scores, had they scored all of these items."]),
    ...(judge.used && worth !== null
      ? [
          `With the judge ${count(labelled)} labels tell as much as ${count(Math.floor(worth))} alone${judge.correlation === null ? "" : `; they go together by r = ${judge.correlation.toFixed(2)}`}.`,
        ]
      : labelled > 0
        ? ["The judge makes nothing surer here: the score is the labels' mean."]
        : []),
    ...(next === undefined || halfWidth === undefined
      ? []
      : [
          `± ${points(halfWidth)} is expected of ${counted(next.labels, "label")}: ${next.items.length === 0 ? "these are enough" : `${file!} has the ${counted(next.items.length, "item")} to label`}.`,
        ]),
    ...warningLines(result.warnings),
  ];
}

function biasWords({ mean, interval }: NonNullable<JudgedEstimate["judge"]["bias"]>): string {
  const unsure = interval.low <= 0 && interval.high >= 0;
  return `${points(Math.abs(mean))} points ${mean < 0 ? "below" : "above"} people's (${points(interval.low)} to ${points(interval.high)}${unsure ? ", perhaps none" : ""})`;
}
