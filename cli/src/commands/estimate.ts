import { type AnswerOptions, type AnyEstimate, estimate } from "anchoreval/internal/features/sdk-estimate";
import type { Estimate, ScenarioResult } from "anchoreval/internal/estimate/types";
import { COST_KINDS, type LoggedCosts } from "anchoreval/internal/logs/cost";
import { INTERVAL_MEANING, intervalWords, placeWords, scoreWords } from "anchoreval/internal/words/result-words";
import { percent, points, priceWords } from "anchoreval/internal/words/figures";
import { modelAnswers } from "anchoreval/internal/node/logs/anchor-logs";
import { ESTIMATE_PARTS } from "../../../features/cli-estimate.ts";
import { type Command, option, flag, given } from "../program/command.ts";
import { readParts, withParts } from "../program/parts.ts";
import type { Beside, EstimateWords } from "../options/parts.ts";
import { BUNDLE_OPTION, readBundle } from "../bundles/open-bundle.ts";
import { addSummary, plainLines, readSideFile, type ResultParts, SUMMARY_OPTION } from "../program/summary.ts";
import {
  type Answered,
  ANSWER_DATA_OPTIONS,
  estimateOptions,
  FORM_OPTION,
  LEVEL_OPTION,
  type ModelReading,
  readModel,
  withAnswers,
} from "../options/answers.ts";
import { warningLines } from "../program/output.ts";

export const estimateCommand: Command = withParts(ESTIMATE_PARTS, {
  operands: { usage: "PATH", option: "responses" },
  options: {
    Data: {
      ...BUNDLE_OPTION,
      responses: option(
        "PATH",
        "the model's answers: JSON {id: score or trials}, JSON lines or CSV item_id,score[,trial] (-: from standard input); with --from its logs",
        { multiple: true, required: true },
      ),
      ...ANSWER_DATA_OPTIONS,
    },
    Estimate: { ...FORM_OPTION, ...LEVEL_OPTION },
    Output: { ...SUMMARY_OPTION, verbose: flag("also the ability, λ and every estimator") },
  },
  examples: [
    "estimate --bundle bundles/quiz --responses answers.json",
    "estimate --bundle https://evals.example.com/v1/bundles/quiz/1.0.0 --from lm-eval --responses logs/my-model",
  ],
  run: async (input) => {
    const { options, output, signal } = input;
    const summary = await readSideFile(options, "summary");
    const parts = await readParts(ESTIMATE_PARTS, input);
    const bundle = await readBundle(options, signal);
    const reading = Object.assign({}, ...parts.map((part) => part.reading)) as ModelReading;
    const model = await readModel(options.texts("responses"), bundle, options, reading);
    const asked: AnswerOptions = { hashes: model.hashes, ...given({ form: model.form }), ...estimateOptions(options) };
    for (const part of parts) Object.assign(asked, await part.options(bundle, model));
    const result = withAnswers(estimate(bundle, modelAnswers(model), asked), [model]);
    const costs = model.took ? [loggedWords(model.took, result.answered, model.trials !== undefined)] : [];
    const added: Beside[] = [];
    for (const part of parts) if (part.beside) added.push(await part.beside(bundle, result, model));
    const fields = Object.fromEntries(added.flatMap((one) => Object.entries(one.fields)));
    const shown = await estimateWords(result, asked, options.flag("verbose"));
    output.result({ ...result, ...given({ took: model.took }), ...fields }, plainLines([...shown.parts, ...costs]));
    for (const { remark } of added) output.remark(remark);
    const { heading, parts: brief } = await estimateWords(result, asked);
    await addSummary(summary, heading, [...brief, ...costs]);
  },
});

/**
 * An estimate of any kind for people, with what the parts say of it.
 * @param asked - options that it was estimated by
 * @param verbose - also the ability, λ and every estimator
 */
export async function estimateWords(
  result: Answered<AnyEstimate>,
  asked: AnswerOptions = {},
  verbose = false,
): Promise<{ readonly heading: string; readonly parts: ResultParts }> {
  const said: EstimateWords[] = [];
  for (const part of ESTIMATE_PARTS) said.push((await part.words?.(result, asked)) ?? {});
  const instead = said.find((words) => words.instead)?.instead;
  const plain = result as Answered<Estimate>; // what a part doesn't show itself
  const sentences = said.flatMap((words) => words.sentences ?? []);
  const { heading, parts } = instead ?? {
    heading: estimateHeading(plain),
    parts: estimateParts(plain, sentences, verbose),
  };
  return { heading, parts: [...parts, ...said.flatMap(({ after = [] }) => after)] };
}

function estimateParts(estimate: Answered<Estimate>, sentences: readonly string[], verbose: boolean): ResultParts {
  const { benchmark, version, form, scenarios, warnings } = estimate;
  const results = Object.entries(scenarios);
  const level = [estimate, ...Object.values(scenarios)].find(({ interval }) => interval)?.interval?.level;
  const rows = [
    ["", "score", level === undefined ? "interval" : `${percent(level)} interval`, "answered", ""],
    ...(results.length > 1
      ? [
          [
            "overall",
            scoreWords(estimate.score),
            intervalWords(estimate.interval),
            `${estimate.answered} of ${estimate.of}`,
            estimate.predicted ? "partly predicted" : "",
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
    { rows, align: "lrrrl" },
    "",
    ...(level === undefined ? [] : [INTERVAL_MEANING]),
    ...(estimate.estimand === undefined ? [] : [estimate.estimand]),
    ...sentences,
    ...(estimate.reason === null ? [] : [`overall: ${estimate.reason}`]),
    ...warningLines(warnings),
    ...(verbose ? ["", ...results.flatMap(([id, result]) => detailLines(id, result))] : []),
  ];
}

/** @example "quiz 1.0.0: 62.4, 95 % interval 58.1 to 66.0" */
function estimateHeading({ benchmark, version, score, interval, scenarios }: Answered<Estimate>): string {
  const named = Object.values(scenarios);
  const [headline] = named.length === 1 ? named : [{ score, interval }];
  const width =
    headline.interval === null
      ? ""
      : `, ${percent(headline.interval.level)} interval ${intervalWords(headline.interval)}`;
  return `${benchmark} ${version}: ${headline.score === null ? "no score" : scoreWords(headline.score)}${width}`;
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

/**
 * @param isRepeated - items were asked several times
 * @example "By its logs the run took 61 234 tokens and 5.17 minutes (48 of 50 items say so)."
 */
export function loggedWords(costs: LoggedCosts, answered: number, isRepeated: boolean): string {
  const parts = COST_KINDS.flatMap((kind) => {
    const cost = costs[kind];
    if (cost === undefined) return [];
    const partly = cost.items < answered ? ` (${cost.items} of ${answered} items say so)` : "";
    return [priceWords(cost.total, kind === "price" ? "usd" : kind) + partly];
  });
  return `By its logs the run took ${parts.join(" and ")}${isRepeated ? ", all trials together" : ""}.`;
}
