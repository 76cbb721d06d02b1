import { sortableDate } from "../../sdk/logs/json.ts";
import { groupBy, type RunLog } from "../../sdk/logs/run-log.ts";
import { invalidLog } from "../../sdk/logs/score-rows.ts";
import type { LogReader } from "../../sdk/node/logs/log-files.ts";
import { textLines } from "../../sdk/node/read-file.ts";
import { repositoryOf } from "../swe-bench/sdk.ts";
import { type ArenaRow, arenaSamples, firstLine, isArenaLine, readArenaRows, refuseMixedCounts } from "./sdk.ts";

const LINES = /\.jsonl(?:\.gz)?$/i;
/** Models that are submissions to SWE-bench, by the day that their names begin with. */
const SUBMISSION = /^(20\d\d[01]\d[0-3]\d)_/;

/**
 * Tables of eval-arena: JSON lines with `benchmark_id`, `model`, `example_id`, `pass1`, and perhaps `correct` and `count`. A file
 * has several models, and may have several benchmarks; a run is a model on a benchmark in one file. Summaries, which
 * eval-arena writes as `tmp/summary-BENCHMARK.jsonl`, are passed over.
 */
export const evalArenaLogs: LogReader<readonly ArenaRow[]> = {
  beside: /(?:^|[/\\])summary-[^/\\]*\.jsonl$/i,

  async find(files) {
    const logs: RunLog<readonly ArenaRow[]>[] = [];
    for (const { file, named } of files) {
      const line = LINES.test(file) ? await firstLine(textLines(file)) : null;
      if (line === null || !isArenaLine(line)) {
        if (named) throw invalidLog(file, ROWS);
        continue;
      }
      const rows = await readArenaRows(file, textLines(file));
      refuseMixedCounts(rows, file);
      for (const same of groupBy(rows, ({ benchmark, model }) => JSON.stringify([benchmark, model])).values())
        logs.push(runLog(file, same));
    }
    return logs;
  },

  lacking: () => `there is no table of eval-arena: ${ROWS}`,

  read({ content }, options) {
    return Promise.resolve(arenaSamples(content!, options));
  },
};

const ROWS =
  "its rows are JSON lines (….jsonl) with benchmark_id, model, example_id and pass1; a summary has none of single examples";

function runLog(file: string, rows: readonly ArenaRow[]): RunLog<readonly ArenaRow[]> {
  const { benchmark, model } = rows[0]!;
  const date = sortableDate(SUBMISSION.exec(model)?.[1]).slice(0, 10);
  return {
    ...{ file, model, task: benchmark, date: "", resultsFile: null, results: null },
    ...(date !== "" && { about: { date } }),
    ...(benchmark.startsWith("swebench") && { partOf: repositoryOf }),
    content: rows,
  };
}
