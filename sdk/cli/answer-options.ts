import type { Bundle } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { HARNESSES, isReadable } from "../node/harnesses.ts";
import { readAnchorLogs, type LoggedAnswers } from "./anchor-logs.ts";
import type { CommandInput, OptionReader, OptionSpec } from "./command.ts";
import { readScale } from "./read-scale.ts";

/** Options of the commands that read models' answers to the anchors of a bundle. */
export const ANSWER_OPTIONS = {
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
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** Logs that are read by the trainer alone. */
export function logsBeyond(options: OptionReader): string | null {
  const from = options.oneOf("from", [...HARNESSES, ""], "");
  return from === "" || isReadable(from, {}) ? null : `--from ${from}`;
}

/** What those options ask of an estimate. */
export function estimateOptions(options: OptionReader): { level: number; onChangedItem?: "drop" } {
  return {
    level: options.number("level", { min: 0, max: 1 }, 0.95),
    ...(options.flag("drop-changed") && { onChangedItem: "drop" as const }),
  };
}

/** One model's answers in a harness's logs, as `--from` and those options say. */
export async function readLogs(
  bundle: Bundle,
  paths: readonly string[],
  { options, formats }: Pick<CommandInput, "options" | "formats">,
): Promise<LoggedAnswers> {
  const from = options.oneOf("from", HARNESSES, "lm-eval");
  if (paths.length === 0)
    throw new AnchorEvalError("invalid_option", `--from ${from} needs the paths of the logs: files or folders`);
  return readAnchorLogs(bundle, paths, {
    ...readScale(options),
    from,
    form: options.text("form"),
    formats,
    metric: options.texts("metric"),
    filter: options.texts("filter"),
  });
}
