import type { Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { AnchorEvalError, type AnchorEvalErrorCode, invalidOption } from "../../core/errors.ts";
import type { Choose } from "../../logs/choices.ts";
import type { RunLog, RunSamples } from "../../logs/run-log.ts";
import { invalidLog, type SampleOptions } from "../../logs/score-rows.ts";
import type { ScaleOptions } from "../../tables/score-reader.ts";
import { listed } from "../../words/figures.ts";
import { readJsonFile } from "../read-file.ts";
import { hasCode, whyNot } from "../write-file.ts";

export interface FindOptions {
  /** The model's name, where all logs are of one model; else each log names its own. */
  readonly modelName?: string | undefined;
  /** Runs on this version of their task alone, such as a split of SWE-bench. @default all */
  readonly taskVersion?: string | undefined;
  /** Told of what was found and can't be read, such as runs that were broken off. @default nobody is */
  readonly onRemark?: ((words: string) => void) | undefined;
}

/** How logs are read: the metric and filter that count, and the scale. */
export interface ReadLogOptions extends ScaleOptions {
  readonly metric: Choose;
  readonly filter: Choose;
  /** By task, the field whose value names a document, of harnesses that log documents whole. @default their numbers do */
  readonly idFields?: ReadonlyMap<string, string>;
}

/** Readers of formats that the SDK, which has no dependencies, doesn't read itself. */
export interface FormatReaders {
  /** Unpacks zstd into a room that is as large as it must be, of logs of Inspect, where Node itself doesn't (before 22.15). */
  readonly unzstd?: (bytes: Uint8Array, room: Uint8Array) => Uint8Array;
  /**
   * The rows of a Parquet file in order, as objects of the columns asked for, or chosen among those of the file; whole numbers
   * and lists as plain JavaScript.
   * @throws AnchorEvalError `invalid_data` where it can't be read, or lacks one of the columns
   */
  readonly readParquet?: (
    path: string,
    columns: readonly string[] | ((names: readonly string[]) => readonly string[]),
  ) => AsyncIterable<Readonly<Record<string, unknown>>>;
}

/**
 * Finds and reads the logs of one harness.
 * @typeParam Content - of what `find` has read of a run already
 */
export interface LogReader<Content = unknown> {
  /**
   * The runs whose logs are among some files.
   * @throws AnchorEvalError `invalid_data` for a log that is broken, and for a file that was named and is none
   */
  find(
    files: readonly FoundFile[],
    options: FormatReaders & Pick<FindOptions, "taskVersion"> & { readonly onRemark: (words: string) => void },
  ): Promise<RunLog<Content>[]>;
  /** Files that are part of what the harness writes and no logs, though their names are like those of logs. */
  readonly beside?: RegExp;
  /** Says that there are none. */
  lacking(files: readonly FoundFile[]): string;
  /** The samples of a run. */
  read(log: RunLog<Content>, options: SampleOptions & FormatReaders): Promise<RunSamples>;
}

export interface FoundFile {
  readonly file: string;
  /** It was named itself, not found in a folder. */
  readonly named: boolean;
}

/**
 * The files under some paths, by name, those of all folders in them too; folders once, also where links lead to them twice.
 * Links are files of their own, as two models' logs of the same bytes may be links to one: not those that stand beside
 * their file, such as `latest`.
 * @throws AnchorEvalError `not_found`, `unavailable`
 */
export async function findFiles(paths: readonly string[]): Promise<FoundFile[]> {
  const seen = new Set<string>();
  const files: FoundFile[] = [];
  const walk = async (path: string, named: boolean): Promise<void> => {
    const { status, real, place } = await locate(path);
    if (seen.has(place)) return;
    seen.add(place);
    if (!named && real !== place && dirname(real) === dirname(place) && extname(real) === extname(place)) return;
    if (status.isDirectory()) for (const name of (await readdir(path)).sort()) await walk(join(path, name), false);
    else if (named || status.isFile()) files.push({ file: path, named }); // no pipe that a folder has, which nobody may write to
  };
  for (const path of paths) await walk(path, true);
  return files;
}

/** The files that are logs by their names. @throws AnchorEvalError `invalid_data` for one that was named itself, and is none */
export function logsAmong(
  files: readonly FoundFile[],
  isLog: (file: string) => boolean,
  message: string,
): readonly FoundFile[] {
  const other = files.find(({ file, named }) => named && !isLog(file));
  if (other) throw invalidLog(other.file, message);
  return files.filter(({ file }) => isLog(file));
}

/**
 * JSON of a file that was found.
 * @param isOther - a folder has it, and nothing says that it is the harness's
 * @returns null for such a one that isn't JSON
 */
export async function readFoundJson(file: string, isOther: boolean): Promise<unknown> {
  return readJsonFile(file).catch(nullFor("invalid_data", isOther));
}

/** JSON of a file beside a log; null where there is none. */
export async function readJsonBeside(file: string): Promise<unknown> {
  return readJsonFile(file).catch(nullFor("not_found"));
}

function nullFor(code: AnchorEvalErrorCode, isAllowed = true): (error: unknown) => null {
  return (error) => {
    if (isAllowed && error instanceof AnchorEvalError && error.code === code) return null;
    throw error;
  };
}

/**
 * The first name of a file and the folders above it that says whose run it is.
 * @param unnamed - names by what a file or a folder has, such as `results`
 */
export function runName(path: string, unnamed: RegExp): string {
  const above = dirname(path);
  return unnamed.test(basename(path)) && above !== path ? runName(above, unnamed) : basename(path);
}

/** The kind of a path, where it leads, and where it stands itself. */
async function locate(path: string): Promise<{ status: Stats; real: string; place: string }> {
  try {
    const real = await realpath(path);
    const status = await stat(real);
    return { status, real, place: status.isDirectory() ? real : join(await realpath(dirname(path)), basename(path)) };
  } catch (cause) {
    const missing = hasCode(cause, "ENOENT");
    throw new AnchorEvalError(
      missing ? "not_found" : "unavailable",
      missing ? `${path}: there is no such file or folder` : `${path} could not be read: ${whyNot(cause)}`,
      { cause },
    );
  }
}

/**
 * Runs on one version of their task, where one is asked for.
 * @throws AnchorEvalError `invalid_option` where there is none, with the versions that there are
 */
export function ofVersion<Log extends RunLog>(logs: Log[], version: string | undefined): Log[] {
  if (version === undefined || logs.length === 0) return logs;
  const versionOf = ({ results, task }: RunLog): string | null => results?.tasks.get(task)?.version ?? null;
  const chosen = logs.filter((log) => versionOf(log) === version);
  if (chosen.length > 0) return chosen;
  const versions = [...new Set(logs.flatMap((log) => versionOf(log) ?? []))];
  throw invalidOption(
    `\`taskVersion\` ${version}: ${versions.length === 0 ? "no log says which version of its task it is of" : `there are ${listed(versions)}`}`,
  );
}

/**
 * The same logs under another model's name, where one is given.
 * @throws AnchorEvalError `invalid_option` where they are of several models
 */
export function renameModel(logs: RunLog[], modelName: string | undefined): RunLog[] {
  if (modelName === undefined) return logs;
  const models = [...new Set(logs.map((log) => log.model))];
  if (models.length > 1)
    throw invalidOption(
      `\`modelName\` is for the logs of one model, and these are of ${models.length}: ${models.slice(0, 5).join(", ")}${models.length > 5 ? ", …" : ""}`,
    );
  return logs.map((log) => ({ ...log, model: modelName }));
}
