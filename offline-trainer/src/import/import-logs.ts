import type { Weighting } from "anchoreval/internal/core/bundle/names";
import { flatProtocol } from "anchoreval/internal/logs/protocol";
import { addCounts, errorWords, type ErrorPolicy } from "anchoreval/internal/logs/attempts";
import { groupBy, groupedRemarks, type RunLog } from "anchoreval/internal/logs/run-log";
import type { Harness, HarnessName } from "anchoreval/internal/node/harnesses";
import { counted } from "anchoreval/internal/words/figures";
import type { CellTrials } from "../matrix/readers/score-table.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { TypicalPrices } from "../matrix/typical-prices.ts";
import { alignItems, fillMatrix, type RunMatching } from "./align-items.ts";
import { assignScenarios, compareScores, overallWeighting, type ScoreComparison } from "./assign-scenarios.ts";
import { ContentTable, countStates, type RunScores } from "./run-scores.ts";
import { joinPackages } from "./join-packages.ts";
import {
  differenceTable,
  type ProtocolDifference,
  findProtocolDifferences,
  type ReadOptions,
  refuseMixedProtocols,
  selectRuns,
} from "./select-runs.ts";
import { trialsAndPrices, type TrialsAndPrices } from "./trials-and-prices.ts";

/** How logs become a response matrix. */
export interface ImportOptions extends ReadOptions {
  readonly modelName?: string | undefined;
  readonly allowMixed: boolean;
}

/** A leaderboard read from a harness's logs. */
export interface LogImport {
  readonly matrix: ResponseMatrix;
  /** Trials that the cells are the means of; absent where every model answered every item once. */
  readonly trials?: readonly CellTrials[];
  /** Prices of the items, of the kinds of costs that the logs have. */
  readonly prices?: readonly TypicalPrices[];
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
  const { errors, allowMixed } = options;
  const found: string[] = [];
  const logs = await harness.find(paths, { ...options, onRemark: (words) => found.push(words) });
  const contents = new ContentTable();
  const selected = await selectRuns(harness, logs, contents, options);
  const { runs, warnings: renamed } = joinPackages(selected.runs);
  const differences = findProtocolDifferences(runs);
  if (!allowMixed) refuseMixedProtocols(differences);

  const tasks = new Map(
    [...groupBy(runs, (run) => run.log.task)].map(([task, own]) => [task, { own, ...alignItems(own) }]),
  );
  const { scenarios, warnings: doubts } = assignScenarios(runs, logs);
  const weighting = overallWeighting(scenarios);
  const filled = fillMatrix(tasks, scenarios, { merged: weighting.merged, contents });
  const { matrix, trials, taskMean } = filled;
  const { prices, remarks } = filled.costs.prices(matrix.items);
  const comparisons = compareScores(runs, scenarios, taskMean, options);
  const different = comparisons.filter((comparison) => !comparison.equal);
  const attempts = addCounts(runs.map((run) => run.attempts));
  const failed = errorWords(attempts, errors);
  const reported = [...tasks.values()].flatMap(({ own, matching }) =>
    own.map((run, index): ReportedRun => ({
      model: run.log.model,
      task: run.log.task,
      file: run.log.file,
      results: run.log.resultsFile,
      attempts: countStates(run.attempts),
      documents: run.documents.length,
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
    attempts: countStates(attempts),
    ...trialsAndPrices(trials, prices),
    protocolDifferences: differences,
    scores: { compared: comparisons.length, equal: comparisons.length - different.length, different },
    warnings: [
      ...found,
      ...selected.warnings,
      ...renamed,
      ...unloggedWarnings(logs, paths),
      ...doubts,
      ...(differences.length > 0 ? [`the runs were not made alike:\n${differenceTable(differences)}`] : []),
      ...absentWarnings(runs),
      ...groupedRemarks(runs.map(({ log, remarks }) => ({ who: log.file, remarks }))),
      ...(failed === null ? [] : [failed]),
      ...matchingWarnings(reported),
      ...partWarnings(runs, new Map([...tasks].map(([task, { items }]) => [task, items.length]))),
      ...weighting.warnings,
      ...remarks,
      ...scoreWarnings(different, errors),
    ],
  };
  return { matrix, ...(trials && { trials }), prices, report };
}

/** Contents of import.json: everything that was read, chosen and dropped. */
export interface ImportReport extends TrialsAndPrices {
  readonly harness: HarnessName;
  readonly models: number;
  readonly items: number;
  readonly weighting: Weighting;
  /** For a bundle's manifest: one value where all runs agree, else by task, or `mixed`. */
  readonly protocol: Readonly<Record<string, string | number | boolean>>;
  readonly scenarios: readonly {
    readonly id: string;
    readonly tasks: readonly string[];
    readonly items: number;
    /** How the harness weights the tasks; null where nothing tells, or there is one task. */
    readonly weighting: Weighting | null;
  }[];
  readonly tasks: readonly { readonly task: string; readonly metric: string; readonly filter: string }[];
  readonly runs: readonly ReportedRun[];
  /** Runs that were left out, for another of the model on the task. */
  readonly dropped: readonly { readonly model: string; readonly task: string; readonly file: string }[];
  readonly errors: ErrorPolicy;
  readonly attempts: ReturnType<typeof countStates>;
  readonly protocolDifferences: readonly ProtocolDifference[];
  /** Full scores beside the harness's own. */
  readonly scores: {
    readonly compared: number;
    readonly equal: number;
    readonly different: readonly ScoreComparison[];
  };
  readonly warnings: readonly string[];
}

/** A run as it was imported, and how it compares with what the harness reported. */
export interface ReportedRun extends RunMatching, Pick<RunLog, "model" | "task" | "file"> {
  readonly results: string | null;
  readonly attempts: ReturnType<typeof countStates>;
  /** Documents that it asked. */
  readonly documents: number;
}

/** Tasks that the harness has scored in a run whose samples weren't found. Files that were given by name stand for themselves. */
function unloggedWarnings(logs: readonly RunLog[], paths: readonly string[]): string[] {
  const key = (model: string, task: string): string => `${model}, ${task}`;
  const logged = new Set(logs.map(({ model, task }) => key(model, task)));
  const lacking = new Set<string>();
  for (const { file, model, results } of logs)
    for (const [task, { aggregates }] of (!paths.includes(file) && results?.tasks) || [])
      if (aggregates.size > 0 && !logged.has(key(model, task))) lacking.add(key(model, task));
  if (lacking.size === 0) return [];
  return [
    `${lacking.size} ${lacking.size === 1 ? "task has" : "tasks have"} a score in the results, and no samples: ${list([...lacking])}: those answers are missing here`,
  ];
}

function matchingWarnings(runs: readonly ReportedRun[]): string[] {
  const warning = ([one, many]: readonly [string, string], countOf: (run: ReportedRun) => number): string[] => {
    const concerned = runs.filter((run) => countOf(run) > 0);
    const total = concerned.reduce((sum, run) => sum + countOf(run), 0);
    const examples = concerned.map((run) => `${run.model}, ${run.task}: ${countOf(run)}`);
    return total === 0 ? [] : [`${counted(total, "sample")} ${total === 1 ? one : many}: ${list(examples)}`];
  };
  return [
    ...warning(
      [
        "was left out, as its document differs from most models'",
        "were left out, as their documents differ from most models'",
      ],
      (run) => run.changed.length,
    ),
    ...warning(
      [
        "has another document's number, and was matched by content",
        "have another document's number, and were matched by content",
      ],
      (run) => run.renumbered,
    ),
  ];
}

/** Tasks that lack the metric or filter that was chosen for all, with what counts instead. */
function absentWarnings(runs: readonly RunScores[]): string[] {
  const chosen = new Set(
    runs.flatMap(({ absent, log, metric, filter }) => (absent ? [`${log.task}: ${metric}, ${filter}`] : [])),
  );
  if (chosen.size === 0) return [];
  return [
    `${chosen.size} ${chosen.size === 1 ? "task has" : "tasks have"} no such metric or filter, and ${chosen.size === 1 ? "counts by its" : "count by their"} only one: ${list([...chosen], 5)}`,
  ];
}

/**
 * Runs on a part of their task's documents: with a limit, on anchors alone, or broken off.
 * @param items - items of each task, of all runs
 */
function partWarnings(runs: readonly RunScores[], items: ReadonlyMap<string, number>): string[] {
  const [alike, odd]: [string[], string[]] = [[], []];
  for (const [task, own] of groupBy(runs, ({ log }) => log.task)) {
    const all = Math.max(items.get(task)!, ...own.map(({ log }) => log.results?.tasks.get(task)?.documents?.all ?? 0));
    if (own.every(({ documents: { length } }) => length === items.get(task) && length < all))
      alike.push(`${task}: ${items.get(task)!} of ${all}`);
    else
      for (const { log, documents } of own)
        if (documents.length < all) odd.push(`${log.model}, ${task}: ${documents.length} of ${all}`);
  }
  return [
    ...(alike.length === 0
      ? []
      : [`every run asked the same part of the documents: ${list(alike)}: scores are on these alone`]),
    ...(odd.length === 0
      ? []
      : [
          `${odd.length} ${odd.length === 1 ? "run" : "runs"} asked a part of the documents (--limit, anchors alone): ${list(odd)}: the rest is missing here; a leaderboard is worth more without such runs`,
        ]),
  ];
}

function scoreWarnings(different: readonly ScoreComparison[], errors: ErrorPolicy): string[] {
  const policy = errors === "harness" ? "" : ` (--errors ${errors} moves scores)`;
  const examples = different.map(
    ({ model, name, imported, harness }) =>
      `${model}, ${name}: ${imported.toFixed(6)} here, ${harness.toFixed(6)} there`,
  );
  return different.length === 0
    ? []
    : [
        `${different.length} ${different.length === 1 ? "score differs" : "scores differ"} from the harness's own${policy}: ${list(examples, 5)}`,
      ];
}

function list(examples: readonly string[], most = 3): string {
  return `${examples.slice(0, most).join("; ")}${examples.length > most ? "; …" : ""}`;
}
