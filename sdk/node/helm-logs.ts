import { basename, dirname, join } from "node:path";
import { AnchorEvalError } from "../core/errors.ts";
import { readHelmRun, type HelmRun } from "../logs/helm/read-run.ts";
import { readHelmSamples } from "../logs/helm/read-samples.ts";
import type { RunLog, RunSamples } from "../logs/run-log.ts";
import { firstFew } from "../tables/data-issues.ts";
import { readJsonFile } from "./read-file.ts";
import { findFiles, renameModel, type FindOptions, type ReadLogOptions } from "./log-files.ts";

const STATS = "per_instance_stats.json";
const SPEC = "run_spec.json";

/**
 * Finds the runs of HELM under some paths: folders with `run_spec.json`, `stats.json` and `per_instance_stats.json`. Runs
 * of several suites are newer the higher the suite's name counts: v1.10.0 after v1.9.0.
 * @param options - `modelName`: the name where all runs are one model's; else each run names its own; `onRemark` is told
 * of runs that HELM began and that have no scores
 * @throws AnchorEvalError `not_found`; `invalid_data` where there are no runs, or one is broken; `invalid_option` for a
 * name given to several models
 */
export async function findHelmLogs(
  paths: readonly string[],
  { modelName, onRemark }: FindOptions = {},
): Promise<RunLog[]> {
  const logs: RunLog[] = [];
  const begun = new Set<string>();
  for await (const { file } of findFiles(paths)) {
    if (basename(file) === SPEC) begun.add(dirname(file));
    if (basename(file) !== STATS) continue;
    const run = await readRun(dirname(file));
    logs.push({
      file,
      model: run.model,
      task: run.task,
      date: basename(dirname(dirname(file))).replace(/\d+/g, (number) => number.padStart(9, "0")),
      resultsFile: join(dirname(file), "stats.json"),
      results: run.results,
    });
  }
  if (logs.length === 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${paths.join(", ")}: there is no run of HELM: a folder with ${SPEC}, stats.json and ${STATS}`,
    );
  for (const { file } of logs) begun.delete(dirname(file));
  if (begun.size > 0)
    onRemark?.(
      `${begun.size} ${begun.size === 1 ? "run has" : "runs have"} a ${SPEC} and no ${STATS}, and ${begun.size === 1 ? "is" : "are"} left out: ${firstFew([...begun])}`,
    );
  return renameModel(logs, modelName);
}

/** Reads the scores of one run under the metric chosen for its task or group. */
export async function readHelmLog(
  log: RunLog,
  { metric, ...scale }: Omit<ReadLogOptions, "filter">,
): Promise<RunSamples> {
  const folder = dirname(log.file);
  const run = await readRun(folder);
  const state = await readJsonFile(join(folder, "scenario_state.json")).catch((error: unknown) => {
    if (error instanceof AnchorEvalError && error.code === "not_found") return null;
    throw error;
  });
  return readHelmSamples(run, await readJsonFile(log.file), state, {
    ...scale,
    file: folder,
    metric: metric([run.task, run.group]),
  });
}

async function readRun(folder: string): Promise<HelmRun> {
  const [spec, stats] = [await readJsonFile(join(folder, SPEC)), await readJsonFile(join(folder, "stats.json"))];
  return readHelmRun(spec, stats, folder);
}
