import { flatProtocol } from "anchoreval/logs";
import type { Harness } from "anchoreval/node";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { alignItems } from "./align-items.ts";
import { assignScenarios, overallWeighting } from "./assign-scenarios.ts";
import { differenceTable, protocolDifferences, refuseMixedProtocols } from "./check-protocols.ts";
import { compareScores } from "./compare-scores.ts";
import { fillMatrix } from "./fill-matrix.ts";
import { groupBy } from "./group-by.ts";
import type { ImportReport, ReportedRun } from "./import-report.ts";
import { matchingWarnings, scoreWarnings, stateWarnings, unloggedWarnings } from "./import-warnings.ts";
import { readRuns, type ReadOptions } from "./read-runs.ts";
import { ContentTable, countStates, type ErrorPolicy } from "./run-scores.ts";
import { selectRuns, type DuplicatePolicy } from "./select-runs.ts";

/** How logs become a response matrix. */
export interface ImportOptions extends ReadOptions {
  readonly modelName?: string | undefined;
  readonly onDuplicate: DuplicatePolicy;
  readonly errors: ErrorPolicy;
  readonly allowMixed: boolean;
}

/** What a harness's logs came to. */
export interface LogImport {
  readonly matrix: ResponseMatrix;
  readonly report: ImportReport;
}

/**
 * Makes a response matrix of the per-sample logs of a harness.
 * @param paths - files and folders, of one or many models
 * @throws AnchorEvalError `invalid_data`, `invalid_option`, `unsupported`, `not_found`: see the harness's reader,
 * `selectRuns`, `refuseMixedProtocols`
 * @example await importLogs(harnessNamed("lm-eval"), ["logs"], options)
 */
export async function importLogs(
  harness: Harness,
  paths: readonly string[],
  options: ImportOptions,
): Promise<LogImport> {
  const { onDuplicate, errors, allowMixed } = options;
  const found: string[] = [];
  const logs = await harness.find(paths, { ...options, onRemark: (words) => found.push(words) });
  const selected = selectRuns(logs, onDuplicate);
  const contents = new ContentTable();
  const runs = await readRuns(harness, selected.chosen, contents, options);
  const differences = protocolDifferences(runs);
  if (!allowMixed) refuseMixedProtocols(differences);

  const tasks = new Map(
    [...groupBy(runs, (run) => run.log.task)].map(([task, own]) => [task, { own, ...alignItems(own) }]),
  );
  const { scenarios, warnings: doubts } = assignScenarios(runs, logs);
  const weighting = overallWeighting(scenarios);
  const { matrix, taskMean } = fillMatrix(tasks, scenarios, { merged: weighting.merged, errors, contents });
  const comparisons = compareScores(runs, scenarios, taskMean, options);
  const different = comparisons.filter((comparison) => !comparison.equal);
  const states = countStates(runs);
  const reported = [...tasks.values()].flatMap(({ own, matching }) =>
    own.map((run, index): ReportedRun => ({
      model: run.log.model,
      task: run.log.task,
      file: run.log.file,
      results: run.log.resultsFile,
      states: countStates([run]),
      ...matching[index]!,
    })),
  );
  const report: ImportReport = {
    harness: harness.name,
    models: matrix.subjects.length,
    items: matrix.items.length,
    weighting: weighting.overall,
    protocol: flatProtocol(
      harness.name,
      new Map([...tasks].map(([task, { own }]) => [task, own.map((run) => run.protocol)])),
    ),
    scenarios: scenarios.map(({ id, tasks: names, weighting: own }) => ({
      id,
      tasks: names,
      items: matrix.items.filter((item) => item.scenario === id).length,
      weighting: own,
    })),
    tasks: [...tasks].map(([task, { own }]) => ({ task, metric: own[0]!.metric, filter: own[0]!.filter })),
    runs: reported,
    dropped: selected.dropped.map(({ model, task, file }) => ({ model, task, file })),
    errors,
    states,
    protocolDifferences: differences,
    scores: { compared: comparisons.length, equal: comparisons.length - different.length, different },
    warnings: [
      ...found,
      ...selected.warnings,
      ...unloggedWarnings(logs, paths),
      ...doubts,
      ...(differences.length > 0 ? [`the runs were not made alike:\n${differenceTable(differences)}`] : []),
      ...runs.flatMap((run) => run.remarks),
      ...stateWarnings(states, errors),
      ...matchingWarnings(reported),
      ...weighting.warnings,
      ...scoreWarnings(different, errors),
    ],
  };
  return { matrix, report };
}
