import { readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeText } from "anchoreval-trainer/internal/matrix/write-tables";
import { whyNotWritable } from "anchoreval/internal/node/bundle-folder";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { isBeingReplaced, replaceFiles, settleFolder } from "anchoreval/internal/node/out-folder";
import { fileChunks } from "anchoreval/internal/node/read-file";
import { withDraft } from "anchoreval/internal/node/write-file";
import { type OptionReader } from "./command.ts";
import { checkFilePlace, writing } from "./errors.ts";

/** A folder to write, and the files in it that a command may replace. */
interface OutFolder {
  /** For the message, for example `--out`. */
  readonly option: string;
  readonly folder: string;
  /** The files that the command writes there. */
  readonly files: readonly string[];
  /** Why the command's own files there are something else than it would write again; null where they are not. */
  readonly other?: (folder: string) => Promise<string | null>;
  /** Replaces whatever is there. @default false */
  readonly force?: boolean;
}

/**
 * Refuses, before the work, a folder that can't be written to without losing something: one that holds files that this
 * command doesn't write, or its files of something else. Nothing is made.
 * @throws AnchorEvalError `invalid_option`
 */
export async function checkOutFolder({ option, folder, files, other, force = false }: OutFolder): Promise<void> {
  await checkWritable(option, folder);
  await settleFolder(folder);
  if (force) return;
  const names = (await readdir(folder).catch(() => [])).filter((name) => !isBeingReplaced(name));
  const foreign = names.filter((name) => !files.includes(name));
  const what =
    foreign.length > 0
      ? `other files (${foreign.sort().slice(0, 3).join(", ")})`
      : names.length > 0
        ? ((await other?.(folder)) ?? null)
        : null;
  if (what !== null)
    throw invalidOption(
      `${option} ${folder} holds ${what}: choose another folder, or replace what it holds with --force`,
    );
}

/**
 * Refuses, before the work, a path that can't become a folder to write into. Nothing is made.
 * @throws AnchorEvalError `invalid_option`
 */
export async function checkWritable(option: string, folder: string): Promise<void> {
  const why = await whyNotWritable(folder);
  if (why !== null) throw invalidOption(`${option} ${folder} can't be made a folder: ${why}`);
}

/**
 * Makes a folder and writes files into it, all or none: what they replace stays until all are written ({@link replaceFiles}),
 * and a folder that was made for them is removed where that fails.
 * @param write - is given the path of each file
 * @param gone - files of an earlier run that go with those that are replaced
 * @throws AnchorEvalError `unavailable`
 */
export async function writeOutFolder(
  folder: string,
  files: readonly string[],
  write: (...paths: string[]) => Promise<void>,
  gone: readonly string[] = [],
): Promise<void> {
  await writing(folder, () => replaceFiles(folder, (draft) => write(...files.map((name) => join(draft, name))), gone));
}

/** A file that `--out` names, and its kind. */
interface OutFile {
  readonly file: string;
  readonly ending: "jsonl" | "csv";
}

/**
 * Reads `--out FILE`, whose ending says the format; null where it isn't given. Refuses, before the work, a place that can't
 * be written to and a file of other making.
 * @param begins - by ending, how the command's own files begin
 * @throws AnchorEvalError `invalid_option`
 */
export async function readOutFile(
  options: OptionReader,
  begins: Partial<Readonly<Record<OutFile["ending"], RegExp>>>,
): Promise<OutFile | null> {
  const file = options.text("out");
  if (file === undefined) return null;
  const endings = Object.keys(begins).map((ending) => `.${ending}`);
  const ending = endings
    .find((extension) => [extension, `${extension}.gz`].some((end) => file.toLowerCase().endsWith(end)))
    ?.slice(1);
  if (ending === undefined) {
    const all = [...endings, ...endings.map((extension) => `${extension}.gz`)];
    throw invalidOption(
      `--out must be a file that ends in ${all.slice(0, -1).join(", ")} or ${all.at(-1)!}; got ${file}`,
    );
  }
  await checkOutFile("--out", file);
  const head = await readHead(file);
  if (!options.flag("force") && head !== null && !begins[ending as OutFile["ending"]]!.test(head))
    throw invalidOption(
      `--out ${file} holds something that this command didn't write: choose another file, or replace it with --force`,
    );
  return { file, ending: ending as OutFile["ending"] };
}

/** The beginning of a file's text; null where there is no file, or an empty one. */
async function readHead(file: string): Promise<string | null> {
  try {
    for await (const chunk of fileChunks(file)) return new TextDecoder().decode(chunk);
    return null;
  } catch (error) {
    return error instanceof AnchorEvalError && error.code === "not_found" ? null : "";
  }
}

/**
 * Refuses, before the work, a path that a result could not be written to.
 * @param option - for the message, for example `--out`
 * @throws AnchorEvalError `invalid_option`
 */
export async function checkOutFile(option: string, file: string): Promise<void> {
  await checkFilePlace(option, file);
  const why = await whyNotWritable(dirname(file));
  if (why !== null) throw invalidOption(`${option} ${file} can't be written: ${why}`);
}

/**
 * Writes text to a file, as gzip where the name ends in .gz: wholly, or not at all.
 * @throws AnchorEvalError `unavailable`
 */
export async function writeOutFile(file: string, pieces: Iterable<string>): Promise<void> {
  const isPacked = file.endsWith(".gz");
  await writing(file, () =>
    withDraft(
      file,
      (draft) => writeText(draft, pieces, isPacked),
      (draft) => rename(draft, file),
    ),
  );
}
