import { type AnyEstimate, estimate } from "anchoreval/internal/features/sdk-estimate";
import type { BridgedScore } from "anchoreval/internal/features/versions/sdk";
import type { Estimate, ScenarioResult } from "anchoreval/internal/estimate/types";
import { COST_KINDS, type LoggedCosts } from "anchoreval/internal/logs/cost";
import { costWords, priceWords } from "anchoreval/internal/features/prices/sdk/bundle-prices";
import { INTERVAL_MEANING, intervalWords, placeWords, scoreWords } from "anchoreval/internal/words/result-words";
import { percent, points } from "anchoreval/internal/words/figures";
import { modelAnswers } from "anchoreval/internal/node/anchor-logs";
import { type Command, option, flag, given, invalidOption, rare } from "../program/command.ts";
import { readRecordOptions, RECORD_OPTIONS } from "../options/eee-record.ts";
import { BUNDLE_OPTION, readBundle } from "../bundles/open-bundle.ts";
import { PRICE_OPTIONS, readPrices, readBundlePrices } from "../../../features/prices/cli/price-options.ts";
import { addSummary, plainLines, readSideFile, type ResultParts, SUMMARY_OPTION } from "../program/summary.ts";
import {
  type Answered,
  ANSWER_DATA_OPTIONS,
  estimateOptions,
  FORM_OPTION,
  LEVEL_OPTION,
  readModel,
  withAnswers,
} from "../options/answers.ts";
import { askedClusters, overParts } from "../../../features/trials/cli/estimate-over.ts";
import { METRIC_OPTION, readMetrics } from "../../../features/trials/cli/metric.ts";
import { passHeading, passParts } from "../../../features/trials/cli/pass-at-k.ts";

/** Draws that intervals may count, beside that of the anchors. */
const OVER = ["runs", "tasks"] as const;

export const estimateCommand: Command = {
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
      ...rare(PRICE_OPTIONS),
      ...METRIC_OPTION,
    },
    Estimate: {
      ...FORM_OPTION,
      ...LEVEL_OPTION,
      over: option(
        OVER.join("|"),
        "intervals for the expected score over runs (default where this model or the sources had several trials), and on tasks like these, too",
      ),
      ...rare({
        cluster: option("COLUMN", "column of --items whose items go together, such as repo: for --over tasks"),
      }),
    },
    Output: { ...SUMMARY_OPTION, ...RECORD_OPTIONS, verbose: flag("also the ability, λ and every estimator") },
  },
  examples: [
    "estimate --bundle bundles/quiz --responses answers.json",
    "estimate --bundle https://evals.example.com/v1/bundles/quiz/1.0.0 --from lm-eval --responses logs/my-model",
  ],
  run: async ({ options, output, signal }) => {
    const summary = await readSideFile(options, "summary");
    const writeRecord = readRecordOptions(options);
    const priced = await readPrices(options, output);
    const bundle = await readBundle(options, signal);
    const prices = await readBundlePrices(bundle, priced, options, signal);
    const paths = options.texts("responses");
    const isGrouped = options.isGiven("cluster");
    const over =
      options.isGiven("over") || isGrouped ? options.oneOf("over", OVER, isGrouped ? "tasks" : "runs") : null;
    if (isGrouped && over !== "tasks")
      throw invalidOption("--cluster widens intervals over tasks: it goes with --over tasks");
    const metrics = readMetrics(options);
    const model = await readModel(paths, bundle, options, { metrics: metrics.ofLogs });
    const clusters = isGrouped ? await askedClusters(options, bundle, model) : undefined;
    const reading = {
      hashes: model.hashes,
      ...given({ form: model.form, over, clusters, prices, metric: metrics.ofTrials }),
    };
    const found = estimate(bundle, modelAnswers(model), { ...reading, ...estimateOptions(options) });
    const result = withAnswers(found, [model]);
    const parts = (verbose: boolean): ResultParts => [
      ...anyParts(result, verbose, over ?? "runs", clusters),
      ...(result.cost ? [costWords(result.cost)] : []),
      ...(model.took ? [loggedWords(model.took, result.answered, model.trials !== undefined)] : []),
    ];
    if (writeRecord && "metric" in result)
      throw invalidOption(`--to writes records of mean scores, which ${result.metric} isn't`);
    const record = "metric" in result ? null : ((await writeRecord?.(bundle, result, model)) ?? null);
    const lines = plainLines(parts(options.flag("verbose")));
    output.result({ ...result, ...given({ took: model.took, record }) }, lines);
    if (record !== null) output.remark(`record for Every Eval Ever: ${record}`);
    await addSummary(summary, anyHeading(result), parts(false));
  },
};

/**
 * An estimate of any kind for people.
 * @param verbose - also the ability, λ and every estimator
 * @param over - the widest intervals that are shown
 */
export function anyParts(
  result: Answered<AnyEstimate>,
  verbose: boolean,
  over: "runs" | "tasks",
  clusters?: ReadonlyMap<string, string>,
): ResultParts {
  if ("metric" in result) return passParts(result);
  const repeated = "trials" in result ? overParts(result, over, clusters) : [];
  return [...estimateParts(result, verbose), ...repeated];
}

export function anyHeading(result: Answered<AnyEstimate>): string {
  return "metric" in result ? passHeading(result) : estimateHeading(result);
}

function estimateParts(
  estimate: Answered<Estimate & { readonly bridged?: BridgedScore }>,
  verbose: boolean,
): ResultParts {
  const { benchmark, version, form, scenarios, warnings, bridged } = estimate;
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
    ...(bridged === undefined ? [] : [bridgedWords(bridged)]),
    ...(estimate.reason === null ? [] : [`overall: ${estimate.reason}`]),
    ...warnings.map(({ message }) => `warning: ${message}`),
    ...(verbose ? ["", ...results.flatMap(([id, result]) => detailLines(id, result))] : []),
  ];
}

/** @example "quiz 1.0.0: 62.4, 95 % interval 58.1 to 66.0" */
export function estimateHeading({ benchmark, version, score, interval, scenarios }: Answered<Estimate>): string {
  const named = Object.values(scenarios);
  const [own] = named.length === 1 ? named : [{ score, interval }];
  const width = own.interval === null ? "" : `, ${percent(own.interval.level)} interval ${intervalWords(own.interval)}`;
  return `${benchmark} ${version}: ${own.score === null ? "no score" : scoreWords(own.score)}${width}`;
}

function bridgedWords({ benchmark, version, overall, scenarios }: BridgedScore): string {
  const named = [["overall", overall] as const, ...Object.entries(scenarios)];
  const scores = named.flatMap(([id, score]) =>
    score === null
      ? []
      : [
          `${id} ${points(score.score)}${score.interval ? ` (${points(score.interval.low)} to ${points(score.interval.high)})` : ""}`,
        ],
  );
  return `as ${benchmark} ${version} would have scored it: ${scores.length > 0 ? scores.join(", ") : "not known"}`;
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
 * @example "By its logs the run took 61 234 tokens and 310 seconds (48 of 50 items say so)."
 */
export function loggedWords(costs: LoggedCosts, answered: number, isRepeated: boolean): string {
  const parts = COST_KINDS.flatMap((kind) => {
    const own = costs[kind];
    if (own === undefined) return [];
    const partly = own.items < answered ? ` (${own.items} of ${answered} items say so)` : "";
    return [priceWords(own.total, kind === "price" ? "usd" : kind) + partly];
  });
  return `By its logs the run took ${parts.join(" and ")}${isRepeated ? ", all trials together" : ""}.`;
}
