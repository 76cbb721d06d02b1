import { loadBundle } from "../bundles/load-bundle.ts";
import { compareFromAnchors } from "../compare/compare-from-anchors.ts";
import { rankFromAnchors } from "../compare/rank-from-anchors.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { HARNESSES } from "../node/harnesses.ts";
import { ANSWER_OPTIONS, estimateOptions, logsBeyond } from "./answer-options.ts";
import type { Command } from "./command.ts";
import { comparisonLines } from "./comparison-lines.ts";
import { openBundle } from "./open-bundle.ts";
import { rankingLines } from "./ranking-lines.ts";
import { readModel, type ReadModel } from "./read-model.ts";

/** `anchoreval compare`: which of two models is better, or the places of several, from their answers to the same anchors. */
export const compareCommand: Command = {
  name: "compare",
  summary: "which of two models is better, or the places of several, from their answers to the same anchors",
  positionals: "[PATH PATH PATH…]",
  options: {
    bundle: { type: "string", value: "DIR|URL", description: "the bundle" },
    a: { type: "string", value: "PATH", description: "answers of model A: JSON {id: score}, JSON lines or CSV" },
    b: { type: "string", value: "PATH", description: "answers of model B; three PATHs or more are ranked instead" },
    margin: { type: "string", value: "POINTS", description: "the largest difference that doesn't matter; 0" },
    from: { type: "string", value: HARNESSES.join("|"), description: "every PATH has one model's logs of the harness" },
    ...ANSWER_OPTIONS,
    verbose: { type: "boolean", description: "every scenario's test and ranking statistic too" },
  },
  beyond: logsBeyond,
  run: async ({ positionals, options, output, signal, formats }) => {
    const source = openBundle(options.required("bundle"));
    const [a, b] = [options.text("a"), options.text("b")];
    const pair = a !== undefined && b !== undefined;
    if (pair ? positionals.length > 0 : a !== undefined || b !== undefined || positionals.length < 3)
      throw new AnchorEvalError("invalid_option", "give --a PATH --b PATH, or three PATHs or more to be ranked");
    const margin = options.number("margin", { min: 0, max: 100 }, 0) / 100;
    if (margin > 0 && !pair)
      throw new AnchorEvalError("invalid_option", "--margin is for two models: --a PATH --b PATH");
    const form = options.text("form");
    const bundle = await loadBundle(source, { signal, ...(form !== undefined && { form }) });
    const models: ReadModel[] = [];
    for (const path of pair ? [a, b] : positionals)
      models.push(await readModel(path, bundle, { options, output, formats }));
    const shared = estimateOptions(options);
    const verbose = options.flag("verbose");
    if (pair) {
      const [first, second] = distinct(models);
      const comparison = compareFromAnchors(bundle, first!, second!, { ...shared, margin });
      if (output.json) output.document(comparison);
      else for (const line of comparisonLines(comparison, { verbose })) output.line(line);
    } else {
      const ranking = rankFromAnchors(bundle, distinct(models), shared);
      if (output.json) output.document(ranking);
      else for (const line of rankingLines(ranking)) output.line(line);
    }
    return 0;
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
