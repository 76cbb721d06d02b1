import { loadBundle } from "../bundles/load-bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { HARNESSES } from "../node/harnesses.ts";
import { bridgedScore } from "../estimate/bridged-score.ts";
import { estimateFromAnchors } from "../estimate/estimate-from-anchors.ts";
import { readAnswers } from "../node/read-file.ts";
import { ANSWER_OPTIONS, estimateOptions, logsBeyond, readLogs } from "./answer-options.ts";
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
    from: { type: "string", value: HARNESSES.join("|"), description: "read the harness's logs at PATH… instead" },
    ...ANSWER_OPTIONS,
    verbose: { type: "boolean", description: "ability, λ and every estimator too" },
  },
  beyond: logsBeyond,
  run: async ({ positionals, options, output, signal, formats }) => {
    const source = openBundle(options.required("bundle"));
    const form = options.text("form");
    const bundle = await loadBundle(source, { signal, ...(form !== undefined && { form }) });
    const given = await readInput({ positionals, options, output, formats }, bundle, form);
    const estimate = estimateFromAnchors(bundle, given.answers, {
      hashes: given.hashes,
      ...estimateOptions(options),
      ...(given.form !== undefined && { form: given.form }),
    });
    const bridged = bridgedScore(bundle.manifest, estimate);
    if (output.json) output.document({ ...estimate, ...(bridged && { bridged }) });
    else for (const line of estimateLines(estimate, { verbose: options.flag("verbose"), bridged })) output.line(line);
    return 0;
  },
};

/** The answers that the options name: a file's, or those in a harness's logs. */
async function readInput(
  { positionals, options, output, formats }: Pick<CommandInput, "positionals" | "options" | "output" | "formats">,
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
    throw new AnchorEvalError("invalid_option", "give --responses FILE, or --from HARNESS PATH…");
  if (responses !== undefined) {
    if (positionals.length > 0)
      throw new AnchorEvalError("invalid_option", `--responses takes one file; what is ${positionals.join(" ")}?`);
    const { answers, hashes } = await readAnswers(responses, readScale(options));
    return { answers, hashes, form };
  }
  const logged = await readLogs(bundle, positionals, { options, formats });
  for (const remark of logged.remarks) output.remark(remark);
  return logged;
}
