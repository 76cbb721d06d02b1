import { existsSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { sortableDate } from "../../sdk/logs/json.ts";
import { groupBy, type RunLog, UNTOLD_RUN, UNTOLD_TASK } from "../../sdk/logs/run-log.ts";
import { invalidLog } from "../../sdk/logs/score-rows.ts";
import { type FoundFile, logsAmong, type LogReader } from "../../sdk/node/logs/log-files.ts";
import { textLines } from "../../sdk/node/read-file.ts";
import { firstFew } from "../../sdk/tables/data-issues.ts";
import { counted } from "../../sdk/words/figures.ts";
import {
  ACCURACY,
  type BfclFileName,
  bfclFileName,
  entriesOf,
  memoryParts,
  readBfclHeader,
  readBfclSamples,
  UNSCORED,
} from "./sdk.ts";

/** Folders between a model's and its files, in version 4. */
const GROUPS = ["non_live", "live", "multi_turn", "agentic", UNSCORED, "memory", "kv", "vector", "rec_sum"];
/** Names of the files before version 3, whose entries have numbers in place of ids. */
const OLD = /^gorilla_openfunctions_v\d+_test_.+\.json$/;
const PREREQUISITE = /^BFCL_v\d+_\w+_prereq_result\.json$/;

/**
 * Runs of BFCL, a model's on one category: `score/MODEL/GROUP/BFCL_v4_CATEGORY_score.json`, which names the entries that
 * failed, with `result/MODEL/GROUP/BFCL_v4_CATEGORY_result.json`, which has all, beside `score` or among the same files. Those
 * of version 3 lie in the model's folder itself. The folder names the model.
 */
export const bfclLogs: LogReader<BfclFiles> = {
  async find(all, { onRemark }) {
    const files = logsAmong(
      all,
      isOfBfcl,
      "BFCL's files are BFCL_v4_CATEGORY_score.json and BFCL_v4_CATEGORY_result.json",
    );
    const named = files.flatMap(({ file }) => {
      const name = bfclFileName(basename(file));
      return name === null ? [] : [{ file, name, key: keyOf(file, name) }];
    });
    const results = groupBy(named.filter(({ name }) => name.kind === "result"), ({ key }) => key); // prettier-ignore
    const scores = named.filter(({ name }) => name.kind === "score");
    const logs: RunLog<BfclFiles>[] = [];
    for (const { file, name, key } of scores)
      if (name.category !== UNSCORED)
        logs.push(await runLog(file, name, resultOf(file, results.get(key)?.map((other) => other.file) ?? [])));
    remarkOnRest(logs, files, onRemark);
    return logs;
  },

  lacking(files) {
    const names = files.map(({ file }) => bfclFileName(basename(file)));
    if (names.some((name) => name?.kind === "score")) return `${UNSCORED} is no part of BFCL's scores, and alone here`;
    if (names.some((name) => name !== null))
      return "results of BFCL say nothing of which answers are right: bfcl evaluate writes score/MODEL/GROUP/BFCL_v4_CATEGORY_score.json";
    return files.some(({ file }) => OLD.test(basename(file)))
      ? "files of BFCL before version 3 aren't read"
      : "there is no run of BFCL: score/MODEL/GROUP/BFCL_v4_CATEGORY_score.json";
  },

  read({ file, model, content }, options) {
    const { name, result, expected } = content!;
    const lines = result === null ? null : { file: result, lines: textLines(result) };
    return readBfclSamples({ model, name, score: textLines(file), result: lines, expected }, options);
  },
};

/** The files of a run; the score file is the log's own. */
export interface BfclFiles {
  readonly name: BfclFileName;
  readonly result: string | null;
  readonly expected: string;
}

function isOfBfcl(file: string): boolean {
  const name = basename(file);
  return bfclFileName(name) !== null || PREREQUISITE.test(name) || OLD.test(name);
}

async function runLog(
  file: string,
  name: BfclFileName,
  place: Pick<BfclFiles, "result" | "expected">,
): Promise<RunLog<BfclFiles>> {
  const { accuracy, total } = readBfclHeader(await firstLine(file), file);
  const task = name.category;
  const whole = entriesOf(name);
  const taskResults = {
    ...UNTOLD_TASK,
    version: name.version,
    aggregates: new Map([[`${ACCURACY},none`, accuracy]]),
    documents: whole === null ? null : { all: whole, run: total },
  };
  const { model, root } = placeOf(file);
  const partOf = memoryParts(task);
  return {
    ...{ file, model, task, date: snapshotDate(basename(root)), resultsFile: file },
    results: { ...UNTOLD_RUN, tasks: new Map([[task, taskResults]]) },
    ...(partOf && { partOf }),
    content: { name, ...place } satisfies BfclFiles,
  };
}

async function firstLine(file: string): Promise<string> {
  for await (const { lines } of textLines(file)) return lines[0]!;
  return "{}";
}

function snapshotDate(folder: string): string {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(folder) ?? [];
  return day === undefined ? "" : sortableDate(folder) || sortableDate(day); // 2025-12-12-main
}

interface ModelPlace {
  readonly model: string;
  /** The folder that has `score` and `result`: of snapshots, their date. */
  readonly root: string;
}

function placeOf(file: string): ModelPlace {
  let folder = dirname(resolve(file));
  while (GROUPS.includes(basename(folder))) folder = dirname(folder);
  return { model: basename(folder), root: dirname(dirname(folder)) };
}

function keyOf(file: string, { version, category }: BfclFileName): string {
  return JSON.stringify([placeOf(file).model, version, category]);
}

/**
 * The result file of a score file: in the same place of `result`, else the only one of the model and the category among those
 * that were found.
 */
function resultOf(file: string, candidates: readonly string[]): Pick<BfclFiles, "result" | "expected"> {
  const name = basename(file).replace(/_score\.json$/, "_result.json");
  const parts = dirname(resolve(file)).split(sep);
  const at = parts.lastIndexOf("score");
  const beside = at < 0 ? null : join(parts.with(at, "result").join(sep), name);
  if (beside !== null && existsSync(beside)) return { result: beside, expected: beside };
  if (candidates.length > 1)
    throw invalidLog(file, `its result file may be one of several: ${firstFew(candidates)}; import them apart`);
  return { result: candidates[0] ?? null, expected: beside ?? name };
}

/** Says which files don't count, and that BFCL's overall score isn't formed. */
function remarkOnRest(
  logs: readonly RunLog<BfclFiles>[],
  files: readonly FoundFile[],
  onRemark: (words: string) => void,
): void {
  const paths = files.map(({ file }) => file);
  const nameOf = (file: string): BfclFileName | null => bfclFileName(basename(file));
  const say = (passed: readonly string[], words: string): void => {
    if (logs.length > 0 && passed.length > 0)
      onRemark(`${counted(passed.length, "file")} ${words}: ${firstFew(passed)}`);
  };
  const read = new Set(logs.map(({ content }) => content!.result));
  const unscored = paths.filter((file) => nameOf(file)?.category === UNSCORED && nameOf(file)?.kind === "score");
  say(unscored, `of ${UNSCORED}, which is no part of BFCL's scores, left out`);
  const unjudged = paths.filter((file) => {
    const name = nameOf(file);
    return name?.kind === "result" && name.category !== UNSCORED && !read.has(resolve(file)) && !read.has(file);
  });
  say(unjudged, "of results that bfcl evaluate didn't judge, left out");
  say(paths.filter((file) => OLD.test(basename(file))), "of BFCL before version 3, left out"); // prettier-ignore
  if (new Set(logs.map(({ task }) => task)).size > 1)
    onRemark(
      "BFCL's overall score is a nested weighted mean of its categories, and isn't formed here: each category is a scenario with a score of its own",
    );
}
