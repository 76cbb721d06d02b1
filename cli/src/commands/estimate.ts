import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { bridgedScore, type BridgedScore } from "anchoreval/internal/estimate/bridged-score";
import { estimateFromAnchors } from "anchoreval/internal/estimate/estimate-from-anchors";
import type { Estimate, ScenarioResult } from "anchoreval/internal/estimate/types";
import { answerCost, costWords } from "anchoreval/internal/prices/bundle-prices";
import { INTERVAL_MEANING, intervalWords, placeWords, scoreWords } from "anchoreval/internal/words/result-words";
import { percent, points } from "anchoreval/internal/words/figures";
import { bundleComponents } from "anchoreval/internal/trials/components";
import { bundleTrialMetric } from "anchoreval/internal/trials/pass-at-k";
import type { ReadModel } from "../logs/anchor-logs.ts";
import { type Command, option, flag, given, invalidOption, rare } from "../program/command.ts";
import { readRecordOptions, RECORD_OPTIONS } from "../options/eee-record.ts";
import { BUNDLE_OPTION, readBundle } from "../bundles/open-bundle.ts";
import { loggedWords } from "../logs/logged-costs.ts";
import { PRICE_OPTIONS, readPrices, readBundlePrices } from "../prices/price-options.ts";
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
import { METRIC_OPTION, readMetrics } from "../trials/metric.ts";

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
    const metric = metrics.ofTrials ?? (model.trials ? bundleTrialMetric(bundle.manifest) : null);
    if (metric !== null) {
      const { reportPassAtK } = await import("../trials/pass-at-k.ts");
      return reportPassAtK(bundle, model, { metric, prices, summary }, { options, output });
    }
    const asked = { hashes: model.hashes, ...given({ form: model.form }), ...estimateOptions(options) };
    const repeated = over !== null || isRepeated(bundle, model) ? await import("../trials/estimate-over.ts") : null;
    const clusters = await repeated?.askedClusters(options, bundle, model);
    const foundOver = repeated?.estimateOver(bundle, model, asked, clusters);
    const found = foundOver ?? estimateFromAnchors(bundle, model.responses, asked);
    const estimate = withAnswers(found, [model]);
    const bridged = bridgedScore(bundle.manifest, { ...found, warnings: [] });
    const cost = answerCost(bundle, repeated?.knownTrials(model) ?? model.responses, prices);
    const parts = (verbose: boolean): ResultParts => [
      ...estimateParts(estimate, bridged, verbose),
      ...(foundOver ? repeated!.overParts(foundOver, over ?? "runs", clusters) : []),
      ...(cost ? [costWords(cost)] : []),
      ...(model.took ? [loggedWords(model.took, estimate.answered, model.trials !== undefined)] : []),
    ];
    const lines = plainLines(parts(options.flag("verbose")));
    const record = (await writeRecord?.(bundle, estimate, model)) ?? null;
    output.result({ ...estimate, ...given({ cost, took: model.took, bridged, record }) }, lines);
    if (record !== null) output.remark(`record for Every Eval Ever: ${record}`);
    await addSummary(summary, estimateHeading(estimate), parts(false));
  },
};

/** Whether a score is known over runs, too: items were tried several times, by this model or by the source models. */
export function isRepeated(bundle: Bundle, { trials }: Pick<ReadModel, "trials">): boolean {
  return trials !== undefined || bundleComponents(bundle.manifest).size > 0;
}

/** An estimate for people. @param verbose - also the ability, λ and every estimator */
export function estimateParts(
  estimate: Answered<Estimate>,
  bridged: BridgedScore | null,
  verbose: boolean,
): ResultParts {
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
    ...(bridged === null ? [] : [bridgedWords(bridged)]),
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
