import { loadBundle } from "anchoreval/internal/bundles/load-bundle";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { bridgedScore, type BridgedScore } from "anchoreval/internal/estimate/bridged-score";
import { estimateFromAnchors } from "anchoreval/internal/estimate/estimate-from-anchors";
import type { Estimate, ScenarioResult } from "anchoreval/internal/estimate/types";
import { readAnswers } from "anchoreval/internal/node/read-file";
import { INTERVAL_MEANING, intervalWords, placeWords, scoreWords } from "anchoreval/internal/words/result-words";
import { percent, points, textTable } from "anchoreval/internal/words/figures";
import type { LoggedAnswers } from "../anchor-logs.ts";
import { type Command, type CommandInput, option, flag, invalidOption } from "../command.ts";
import { openBundle } from "../open-bundle.ts";
import { ANSWER_DATA_OPTIONS, estimateOptions, FORM_OPTION, LEVEL_OPTION, readLogs } from "../options/answers.ts";
import { readScale } from "../options/scale.ts";

/** `anchoreval estimate`: one model's score on the whole benchmark from its answers to the anchors. */
export const estimateCommand: Command = {
  operands: { usage: "PATH", option: "responses" },
  options: {
    Data: {
      bundle: option("DIR|URL", "the bundle", { required: true }),
      responses: option(
        "PATH",
        "the model's answers: JSON {id: score}, JSON lines or CSV item_id,score; with --from its logs",
        { multiple: true, required: true },
      ),
      ...ANSWER_DATA_OPTIONS,
    },
    Estimate: { ...FORM_OPTION, ...LEVEL_OPTION },
    Output: { verbose: flag("also the ability, λ and every estimator") },
  },
  examples: [
    "estimate --bundle bundles/quiz --responses answers.json",
    "estimate --bundle https://evals.example.com/v1/bundles/quiz/1.0.0 --from lm-eval --responses logs/my-model",
  ],
  run: async ({ options, output, signal }) => {
    const source = openBundle(options.required("bundle"));
    const form = options.text("form");
    const bundle = await loadBundle(source, { signal, ...(form !== undefined && { form }) });
    const given = await readInput({ options, output }, bundle, form);
    const estimate = estimateFromAnchors(bundle, given.answers, {
      hashes: given.hashes,
      ...estimateOptions(options),
      ...(given.form !== undefined && { form: given.form }),
    });
    const bridged = bridgedScore(bundle.manifest, estimate);
    const lines = estimateLines(estimate, bridged, options.flag("verbose"));
    output.result({ ...estimate, ...(bridged && { bridged }) }, lines);
  },
};

/** The answers that the options name: a file's, or those in a harness's logs. */
async function readInput(
  { options, output }: Pick<CommandInput, "options" | "output">,
  bundle: Bundle,
  form: string | undefined,
): Promise<Pick<LoggedAnswers, "answers" | "hashes" | "form">> {
  const [file, ...more] = options.texts("responses");
  if (file === undefined) throw invalidOption("--responses is needed");
  if (options.text("from") === undefined) {
    if (more.length > 0) throw invalidOption(`--responses takes one file; got ${more.join(" ")} too`);
    const { answers, hashes } = await readAnswers(file, readScale(options));
    return { answers, hashes, form };
  }
  const logged = await readLogs(bundle, [file, ...more], options);
  for (const remark of logged.remarks) output.remark(remark);
  return logged;
}

/** An estimate for people: points with one decimal. */
function estimateLines(estimate: Estimate, bridged: BridgedScore | null, verbose: boolean): string[] {
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
    ...(level === undefined ? [] : [INTERVAL_MEANING]),
    ...(bridged === null ? [] : [bridgedWords(bridged)]),
    ...(estimate.reason === null ? [] : [`overall: ${estimate.reason}`]),
    ...warnings.map(({ message }) => `warning: ${message}`),
    ...(verbose ? ["", ...results.flatMap(([id, result]) => detailLines(id, result))] : []),
  ];
}

/** The score on the scale of the base's version. */
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
