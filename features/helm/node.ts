import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readHelmRun, readHelmSamples } from "./sdk.ts";
import type { RunLog } from "../../sdk/logs/run-log.ts";
import { ancestors } from "../../sdk/logs/task-groups.ts";
import { firstFew } from "../../sdk/tables/data-issues.ts";
import { readJsonFile } from "../../sdk/node/read-file.ts";
import { type LogReader, readJsonBeside } from "../../sdk/node/logs/log-files.ts";

const STATS = "per_instance_stats.json";
const SPEC = "run_spec.json";

/**
 * The runs of HELM: folders with `run_spec.json`, `stats.json` and `per_instance_stats.json`. Runs of several suites are
 * newer the higher the suite's name counts: v1.10.0 after v1.9.0. Remarks are on runs that HELM began and that have no
 * scores.
 */
export const helmLogs: LogReader = {
  async find(files, { onRemark }) {
    const runs = files.filter(({ file }) => basename(file) === STATS);
    const logs: RunLog[] = [];
    for (const { file } of runs) {
      const folder = dirname(file);
      const resultsFile = join(folder, "stats.json");
      const spec = await readJsonFile(join(folder, SPEC));
      const run = readHelmRun(spec, await readJsonFile(resultsFile), folder);
      // A link such as helm-summarize's `latest` has no date; `.` has no name.
      const suite = basename(dirname(await realpath(folder)));
      const date = suite.replace(/\d+/g, (number) => number.padStart(9, "0"));
      logs.push({ file, date, resultsFile, ...run });
    }
    const complete = new Set(runs.map(({ file }) => dirname(file)));
    const begun = files
      .filter(({ file }) => basename(file) === SPEC && !complete.has(dirname(file)))
      .map(({ file }) => dirname(file));
    if (logs.length > 0 && begun.length > 0)
      onRemark(
        `${begun.length} ${begun.length === 1 ? "run has" : "runs have"} a ${SPEC} and no ${STATS}, and ${begun.length === 1 ? "is" : "are"} left out: ${firstFew(begun)}`,
      );
    return logs;
  },

  lacking: () => `there is no run of HELM: a folder with ${SPEC}, stats.json and ${STATS}`,

  async read(log, options) {
    const folder = dirname(log.file);
    const state = await readJsonBeside(join(folder, "scenario_state.json"));
    const [group = log.task] = ancestors(log.results!, log.task);
    return readHelmSamples(await readJsonFile(log.file), state, { ...options, file: folder, group });
  },
};
