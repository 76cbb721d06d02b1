import { loadBundle } from "../bundles/load-bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { estimateFromAnchors } from "../estimate/estimate-from-anchors.ts";
import { readAnswers } from "../node/read-answers.ts";
import { readAnchorLogs } from "./anchor-logs.ts";
import type { Command, CommandInput } from "./command.ts";
import { estimateLines } from "./estimate-lines.ts";
import { openBundle } from "./open-bundle.ts";
import { readScale } from "./read-scale.ts";

/** `anchoreval estimate`: one model's score on the whole benchmark from its answers to the anchors. */
export const estimateCommand: Command = {
  name: "estimate",
  summary: "a model's score on the whole benchmark, with an interval, from its answers to the anchors",
  positionals: "[PATH…]",
  options: {
    bundle: { type: "string", value: "DIR|URL", description: "the bundle" },
    responses: {
      type: "string",
      value: "FILE",
      description: "answers: JSON {id: score}, JSON lines or CSV item_id,score",
    },
    from: { type: "string", value: "lm-eval", description: "read the harness's logs at PATH… instead" },
    form: { type: "string", value: "ID", description: "the form that was answered; else inferred" },
    level: { type: "string", value: "0.95", description: "confidence level of the intervals" },
    metric: {
      type: "string",
      multiple: true,
      value: "[TASK=]M",
      description: "the metric that is the score; else the one that the bundle was fitted on",
    },
    filter: {
      type: "string",
      multiple: true,
      value: "[TASK=]F",
      description: "the filter whose answers count; else the one that the bundle was fitted on",
    },
    "score-range": { type: "string", value: "LO,HI", description: "bounds of the scores, where they are not 0 and 1" },
    flip: { type: "boolean", description: "lower scores are better" },
    "drop-changed": {
      type: "boolean",
      description: "answers to items that have changed count as missing, instead of an error",
    },
    verbose: { type: "boolean", description: "ability, λ and every estimator too" },
  },
  run: async ({ positionals, options, output, signal }) => {
    const source = openBundle(options.required("bundle"));
    const form = options.text("form");
    const bundle = await loadBundle(source, { signal, ...(form !== undefined && { form }) });
    const given = await readInput({ positionals, options, output }, bundle, form);
    const estimate = estimateFromAnchors(bundle, given.answers, {
      hashes: given.hashes,
      level: options.number("level", { min: 0, max: 1 }, 0.95),
      ...(given.form !== undefined && { form: given.form }),
      ...(options.flag("drop-changed") && { onChangedItem: "drop" as const }),
    });
    if (output.json) output.document(estimate);
    else for (const line of estimateLines(estimate, { verbose: options.flag("verbose") })) output.line(line);
    return 0;
  },
};

/** The answers that the options name: a file's, or those in a harness's logs. */
async function readInput(
  { positionals, options, output }: Pick<CommandInput, "positionals" | "options" | "output">,
  bundle: Awaited<ReturnType<typeof loadBundle>>,
  form: string | undefined,
): Promise<{
  answers: ReadonlyMap<string, number | null>;
  hashes: ReadonlyMap<string, string>;
  form: string | undefined;
}> {
  const responses = options.text("responses");
  const from = options.text("from");
  if ((responses === undefined) === (from === undefined))
    throw new AnchorEvalError("invalid_option", "give --responses FILE, or --from lm-eval PATH…");
  const scale = readScale(options);
  if (responses !== undefined) {
    if (positionals.length > 0)
      throw new AnchorEvalError("invalid_option", `--responses takes one file; what is ${positionals.join(" ")}?`);
    const { answers, hashes } = await readAnswers(responses, scale);
    return { answers, hashes, form };
  }
  options.oneOf("from", ["lm-eval"], "lm-eval");
  if (positionals.length === 0)
    throw new AnchorEvalError("invalid_option", "--from lm-eval needs the paths of the logs: files or folders");
  const logged = await readAnchorLogs(bundle, positionals, {
    ...scale,
    form,
    metric: options.texts("metric"),
    filter: options.texts("filter"),
  });
  for (const remark of logged.remarks) output.remark(remark);
  return logged;
}
