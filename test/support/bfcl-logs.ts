import type { TempFolder } from "./temp-folder.ts";

/** An entry of a category as a test has it. */
export interface BfclEntry {
  readonly id: string;
  /** BFCL's verdict. */
  readonly valid: boolean;
  /** Fields of its result in place of the usual ones. */
  readonly result?: object;
}

interface BfclFiles {
  readonly model: string;
  readonly category: string;
  readonly entries: readonly BfclEntry[];
  /** Folders between the model's and its files. @default non_live */
  readonly group?: string;
  /** @default v4 */
  readonly version?: string;
  /** Fields of the score file's first line in place of those that fit. */
  readonly header?: object;
  /** Leaves out a file. */
  readonly without?: "score" | "result";
}

const jsonLines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** Writes a model's files of a category as bfcl-eval 2026.3.23 does. @returns the paths of both, written or not */
export function writeBfcl(
  folder: TempFolder,
  root: string,
  { model, category, entries, group = "non_live", version = "v4", header, without }: BfclFiles,
): { readonly score: string; readonly result: string } {
  const place = (kind: string): string =>
    [root, kind, model, ...(group === "" ? [] : [group]), `BFCL_${version}_${category}_${kind}.json`].join("/");
  const failed = entries.filter(({ valid }) => !valid);
  const correct = entries.length - failed.length;
  const counts = { accuracy: correct / entries.length, correct_count: correct, total_count: entries.length, ...header };
  const usual = { result: "[f(x=1)]", input_token_count: 100, output_token_count: 20, latency: 1.5 };
  const results = entries.map(({ id, result }) => ({ id, ...usual, ...result }));
  const failures = failed.map(({ id, result }) => ({
    ...{ id, model_name: model, test_category: category, valid: false },
    ...{
      error: ["Function name 'g' not found in model output."],
      error_type: "simple_function_checker:wrong_func_name",
    },
    ...{ prompt: { id, question: [[]], function: [] }, model_result: { ...usual, ...result }.result },
  }));
  if (without !== "score") folder.write(place("score"), jsonLines([counts, ...failures]));
  if (without !== "result") folder.write(place("result"), jsonLines(results));
  return { score: folder.path(place("score")), result: folder.path(place("result")) };
}
