import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { HARNESSES } from "anchoreval/internal/node/harnesses";
import { readAnswers } from "anchoreval/internal/node/read-file";
import type { LoggedAnswers } from "../anchor-logs.ts";
import {
  option,
  flag,
  rare,
  type CommandInput,
  type OptionReader,
  type OptionSpecs,
  invalidOption,
} from "../command.ts";
import { readScale, SCALE_OPTIONS } from "./scale.ts";

/** Where answers are read from. */
export const ANSWER_DATA_OPTIONS = {
  from: option("HARNESS", `read logs of this harness: ${HARNESSES.join(", ")}`, { choices: HARNESSES }),
  ...rare({
    metric: option("[TASK=]M", "metric to use as the score (default: the one that the bundle was fitted on)", {
      multiple: true,
    }),
    filter: option("[TASK=]F", "filter whose answers count (default: the one that the bundle was fitted on)", {
      multiple: true,
    }),
    ...SCALE_OPTIONS,
    "drop-changed": flag("count answers to changed items as missing instead of refusing them"),
  }),
} as const satisfies OptionSpecs;

/** The form that was answered. */
export const FORM_OPTION = {
  form: option("ID", "form that was answered (default: inferred)"),
} as const satisfies OptionSpecs;

/** The confidence level of intervals. */
export const LEVEL_OPTION = {
  level: option("0.95", "confidence level of the intervals"),
} as const satisfies OptionSpecs;

/** The options of an estimate. */
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
  options: OptionReader,
): Promise<LoggedAnswers> {
  const from = options.oneOf("from", HARNESSES, "lm-eval");
  if (paths.length === 0) throw invalidOption(`--from ${from} needs the paths of the logs: files or folders`);
  const { readAnchorLogs } = await import("../anchor-logs.ts");
  return readAnchorLogs(bundle, paths, {
    ...readScale(options),
    from,
    form: options.text("form"),
    metric: options.texts("metric"),
    filter: options.texts("filter"),
  });
}

/** One model's answers from a file, or from a harness's logs. */
export interface ReadModel {
  readonly name: string;
  readonly responses: ReadonlyMap<string, number | null>;
  readonly hashes: ReadonlyMap<string, string>;
  /** The form that the logs fill, or that was asked for. */
  readonly form?: string;
}

/**
 * Reads one model's answers, as `anchoreval estimate` does: a file of answers, or with `--from lm-eval` its logs. It is
 * called what the logs call it, or by the file's name.
 * @param filesAreAnswers - with `--from` too, only a folder has logs
 */
export async function readModel(
  path: string,
  bundle: Bundle,
  {
    options,
    output,
    filesAreAnswers = false,
  }: Pick<CommandInput, "options" | "output"> & { readonly filesAreAnswers?: boolean },
): Promise<ReadModel> {
  const form = options.text("form");
  if (options.text("from") === undefined || (filesAreAnswers && (await isFile(path)))) {
    const { answers, hashes } = await readAnswers(path, readScale(options));
    const name = basename(path)
      .replace(/\.gz$/i, "")
      .replace(/\.(csv|jsonl?|ndjson)$/i, "");
    return { name, responses: answers, hashes, ...(form !== undefined && { form }) };
  }
  const logged = await readLogs(bundle, [path], options);
  for (const remark of logged.remarks) output.remark(`${logged.model}: ${remark}`);
  const { model: name, answers: responses, hashes } = logged;
  return { name, responses, hashes, ...(logged.form !== undefined && { form: logged.form }) };
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => true, // what isn't there is named by its reader
  );
}
