import { readInspectHeader } from "../../logs/inspect/read-header.ts";
import { readInspectSamples } from "../../logs/inspect/read-samples.ts";
import { list, record } from "../../logs/json.ts";
import type { RunLog } from "../../logs/run-log.ts";
import { invalidLog } from "../../logs/score-rows.ts";
import { isObject } from "../../tables/json-records.ts";
import { parseJsonBytes, readJsonFile } from "../read-file.ts";
import { logsAmong, type FormatReaders, type LogReader } from "./log-files.ts";
import { openZip } from "./zip-entries.ts";

/** The logs of Inspect: `.eval` files, and `.json` files with an evaluation in them. */
export const inspectLogs: LogReader = {
  async find(files, { unzstd }) {
    const logs: RunLog[] = [];
    const words = "a log of Inspect is an .eval or a .json file";
    for (const { file, named } of logsAmong(files, (path) => LOGS.test(path), words)) {
      const content = await withLog(file, unzstd, (value) => Promise.resolve(value));
      // Folders have other JSON beside, which is passed over; what can't be read may be a log, and isn't.
      if (!ARCHIVE.test(file) && !named && ![content, ...list(content)].some(isLogLike)) continue;
      const { model, task, date, results, broken } = readInspectHeader(content, file);
      logs.push({ file, model, task, date, resultsFile: file, results, ...(broken !== null && { broken }) });
    }
    return logs;
  },

  lacking: () => "there is no log of Inspect (.eval, .json)",

  read: ({ file }, { unzstd, ...options }) =>
    withLog(file, unzstd, (header, samples) => readInspectSamples(readInspectHeader(header, file), samples, options)),
};

/** Whether JSON has a part of a log, broken as it may be. */
function isLogLike(value: unknown): boolean {
  const { eval: header, samples, status } = record(value);
  return isObject(header) || (status !== undefined && (header !== undefined || Array.isArray(samples)));
}

const ARCHIVE = /\.eval$/i;
const LOGS = /\.(?:eval|json)$/i;

/** Uses a log: its header, as parsed JSON, and its samples, which an archive gives one at a time. */
async function withLog<T>(
  file: string,
  unzstd: FormatReaders["unzstd"],
  use: (header: unknown, samples: AsyncIterable<unknown> | Iterable<unknown>) => Promise<T>,
): Promise<T> {
  if (!ARCHIVE.test(file)) {
    const whole = await readJsonFile(file);
    return use(whole, list(record(whole).samples));
  }
  const zip = await openZip(file, unzstd);
  const read = async (name: string): Promise<unknown> => parseJsonBytes(await zip.read(name), `${file}: ${name}`);
  async function* samples(): AsyncGenerator<unknown, void, undefined> {
    for (const name of zip.names) if (/^samples\/.*\.json$/.test(name)) yield await read(name);
  }
  try {
    const whole = zip.names.includes("header.json");
    const name = whole ? "header.json" : "_journal/start.json"; // of a run that broke off, what it began with
    if (!zip.names.includes(name)) throw invalidLog(file, `this is no log of Inspect: the archive has no ${name}`);
    const header = await read(name);
    return await use(whole ? header : { status: "started", ...record(header) }, samples());
  } finally {
    await zip.close();
  }
}
