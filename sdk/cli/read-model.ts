import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Bundle } from "../core/bundle/bundle.ts";
import { readAnswers } from "../node/read-file.ts";
import { readLogs } from "./answer-options.ts";
import type { CommandInput } from "./command.ts";
import { readScale } from "./read-scale.ts";

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
    formats,
    filesAreAnswers = false,
  }: Pick<CommandInput, "options" | "output" | "formats"> & { readonly filesAreAnswers?: boolean },
): Promise<ReadModel> {
  const form = options.text("form");
  if (options.text("from") === undefined || (filesAreAnswers && (await isFile(path)))) {
    const { answers, hashes } = await readAnswers(path, readScale(options));
    const name = basename(path)
      .replace(/\.gz$/i, "")
      .replace(/\.(csv|jsonl?|ndjson)$/i, "");
    return { name, responses: answers, hashes, ...(form !== undefined && { form }) };
  }
  const logged = await readLogs(bundle, [path], { options, formats });
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
