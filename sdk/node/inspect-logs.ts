import { AnchorEvalError } from "../core/errors.ts";
import { readInspectHeader, type InspectHeader } from "../logs/inspect/read-header.ts";
import { InspectSampleReader } from "../logs/inspect/read-samples.ts";
import type { RunLog, RunSamples } from "../logs/run-log.ts";
import { parseJsonBytes, readJsonFile } from "./read-file.ts";
import { findFiles, renameModel, type FindOptions, type ReadLogOptions } from "./log-files.ts";
import { openZip, type Unzstd, type ZipArchive } from "./zip-entries.ts";

/** A reader of zstd, where Node itself has none. */
export interface InspectOptions {
  readonly unzstd?: Unzstd;
}

/**
 * Finds the logs of Inspect under some paths: `.eval` files, and `.json` files with an evaluation in them.
 * @param options - `modelName`: the name where all logs are one model's; else each log names its own
 * @throws AnchorEvalError `not_found`; `invalid_data` where there are no logs, or one is broken; `unsupported`;
 * `invalid_option` for a name given to several models
 */
export async function findInspectLogs(
  paths: readonly string[],
  { modelName, unzstd }: InspectOptions & FindOptions = {},
): Promise<RunLog[]> {
  const logs: RunLog[] = [];
  for await (const { file, named } of findFiles(paths)) {
    if (!/\.(eval|json)$/i.test(file)) {
      if (named) throw new AnchorEvalError("invalid_data", `${file}: a log of Inspect is an .eval or a .json file`);
      continue;
    }
    // Folders have other JSON beside: only what was named must be a log.
    const header = await readHeader(file, unzstd).catch((error: unknown) => {
      if (named || file.endsWith(".eval")) throw error;
      return null;
    });
    if (header)
      logs.push({
        file,
        model: header.model,
        task: header.task,
        date: header.date,
        resultsFile: file,
        results: header.results,
      });
  }
  if (logs.length === 0)
    throw new AnchorEvalError("invalid_data", `${paths.join(", ")}: there is no log of Inspect (.eval, .json)`);
  return renameModel(logs, modelName);
}

/** Reads the samples of one log under the score chosen for its task, a sample at a time. */
export async function readInspectLog(
  log: RunLog,
  { metric, unzstd, ...scale }: Omit<ReadLogOptions, "filter"> & InspectOptions,
): Promise<RunSamples> {
  const options = { ...scale, file: log.file, metric: metric([log.task]) };
  if (!log.file.endsWith(".eval")) {
    const whole = await readJsonFile(log.file);
    const reader = new InspectSampleReader(readInspectHeader(whole, log.file), options);
    const { samples } = whole as { samples?: unknown };
    for (const sample of Array.isArray(samples) ? samples : []) reader.add(sample);
    return reader.finish();
  }
  const zip = await openZip(log.file, unzstd);
  try {
    const read = async (name: string): Promise<unknown> => parseJsonBytes(await zip.read(name), `${log.file}: ${name}`);
    const reader = new InspectSampleReader(await zipHeader(zip, log.file), options);
    for (const name of zip.names) if (/^samples\/.*\.json$/.test(name)) reader.add(await read(name));
    return reader.finish();
  } finally {
    await zip.close();
  }
}

async function readHeader(file: string, unzstd: Unzstd | undefined): Promise<InspectHeader> {
  if (!file.endsWith(".eval")) return readInspectHeader(await readJsonFile(file), file);
  const zip = await openZip(file, unzstd);
  try {
    return await zipHeader(zip, file);
  } finally {
    await zip.close();
  }
}

/** Of a run that broke off, what it began with. */
async function zipHeader(zip: ZipArchive, file: string): Promise<InspectHeader> {
  const whole = zip.names.includes("header.json");
  const name = whole ? "header.json" : "_journal/start.json";
  if (!zip.names.includes(name))
    throw new AnchorEvalError("invalid_data", `${file}: this is no log of Inspect: the archive has no ${name}`);
  const header = parseJsonBytes(await zip.read(name), `${file}: ${name}`);
  return readInspectHeader(whole ? header : { status: "started", ...(header as object) }, file);
}
