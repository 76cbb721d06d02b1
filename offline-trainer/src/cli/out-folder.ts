import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { AnchorEvalError } from "anchoreval/core";
import { whyNotWritable } from "../publish/bundle-folder.ts";

/** What a command may replace in a folder. */
export interface OutFolder {
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
  if (force) return;
  const names = await readdir(folder).catch(() => []);
  const foreign = names.filter((name) => !files.includes(name));
  const what =
    foreign.length > 0
      ? `other files (${foreign.sort().slice(0, 3).join(", ")})`
      : names.length > 0
        ? ((await other?.(folder)) ?? null)
        : null;
  if (what !== null)
    throw new AnchorEvalError(
      "invalid_option",
      `${option} ${folder} holds ${what}: choose another folder, or replace what it holds with --force`,
    );
}

/**
 * Refuses, before the work, a path that can't become a folder to write into. Nothing is made.
 * @throws AnchorEvalError `invalid_option`
 */
export async function checkWritable(option: string, folder: string): Promise<void> {
  const why = await whyNotWritable(folder);
  if (why !== null) throw new AnchorEvalError("invalid_option", `${option} ${folder} can't be made a folder: ${why}`);
}

/**
 * Makes a folder and writes files into it, all or none: beside it first. What they replace stays until all are written,
 * and a folder that was made for them is removed where that fails.
 * @param write - is given the path of each file
 * @throws AnchorEvalError `unavailable`
 */
export async function writeOutFolder(
  folder: string,
  files: readonly string[],
  write: (...paths: string[]) => Promise<void>,
): Promise<void> {
  let made: string | undefined;
  let draft: string | undefined;
  try {
    made = await mkdir(folder, { recursive: true });
    for (const name of files)
      if ((await stat(join(folder, name)).catch(() => null))?.isDirectory()) throw new Error(`${name} is a folder`);
    draft = await mkdtemp(join(dirname(resolve(folder)), ".anchoreval-"));
    await write(...files.map((name) => join(draft!, name)));
    for (const name of files) await rename(join(draft, name), join(folder, name));
  } catch (cause) {
    if (made !== undefined) await rm(made, { recursive: true, force: true }).catch(() => undefined);
    throw new AnchorEvalError("unavailable", `${folder} could not be written`, { cause });
  } finally {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true }).catch(() => undefined);
  }
}
