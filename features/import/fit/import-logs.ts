import { relative, sep } from "node:path";
import type { Weighting } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { flatProtocol, type TaskProtocol } from "anchoreval/internal/logs/protocol";
import { addCounts, errorWords, type ErrorPolicy } from "anchoreval/internal/logs/attempts";
import { otherScoreWords } from "anchoreval/internal/logs/answer-warnings";
import { groupBy, groupedRemarks } from "anchoreval/internal/logs/run-log";
import { type DuplicatePolicy, selectRuns } from "anchoreval/internal/logs/select-runs";
import { unlikeRuns } from "anchoreval/internal/logs/unlike-runs";
import type { Harness } from "anchoreval/internal/node/logs/harnesses";
import type { HarnessName } from "anchoreval/internal/node/logs/readers";
import type { ReadLogOptions } from "anchoreval/internal/node/logs/log-files";
import type { CellTrials } from "../../../offline-trainer/src/matrix/readers/score-table.ts";
import type { ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { TypicalPrices } from "../../prices/fit/typical-prices.ts";
import { alignItems, fillMatrix, type AlignedTask } from "./align-items.ts";
import { assignScenarios, compareScores, overallWeighting, type ScoreComparison } from "./assign-scenarios.ts";
import { ContentTable, countStates, type RunScores, runScores } from "./run-scores.ts";
import {
  absentWarnings,
  coverageWarnings,
  matchingWarnings,
  partWarnings,
  renamedWarnings,
  type ReportedRun,
  unloggedWarnings,
} from "./import-warnings.ts";
import { type ModelFacts, modelFacts } from "./model-facts.ts";
import { joinPackages } from "./join-packages.ts";
import {
  differenceTable,
  type ProtocolDifference,
  findProtocolDifferences,
  refuseMixedProtocols,
} from "./protocol-differences.ts";
import type { CostKind } from "anchoreval/internal/logs/cost";

/** How logs become a response matrix. */
export interface ImportOptions extends Omit<ReadLogOptions, "idFields"> {
  readonly onDuplicate: DuplicatePolicy;
  readonly errors: ErrorPolicy;
  readonly progress?: (done: number, total: number) => void;
  readonly modelName?: string | undefined;
  /** Runs on this version of their task alone. @default all */
  readonly taskVersion?: string | undefined;
  readonly allowMixed: boolean;
  /** From where the bundle sees absolute places of tasks. @default they stay as the logs have them */
  readonly folder?: string;
}

/** A leaderboard read from a harness's logs. */
export interface LogImport {
  readonly matrix: ResponseMatrix;
  /** Trials that the cells are the means of; absent where every model answered every item once. */
  readonly trials?: readonly CellTrials[];
  /** Facts of the models by their logs, in the order of the rows; absent where these say nothing. */
  readonly modelFacts?: readonly ModelFacts[];
  /** Prices of the items, of the kinds of costs that the logs have. */
  readonly prices?: readonly TypicalPrices[];
  readonly report: ImportReport;
}

/**
 * Makes a response matrix of the per-sample logs of a harness.
 * @param paths - files and folders, of one or many models
 * @throws AnchorEvalError `invalid_data` where no run has a score; `invalid_option`, `unsupported`, `not_found`: see the
 * harness's reader, `selectRuns`, `refuseMixedProtocols`
 * @example await importLogs(harnessNamed("lm-eval"), ["logs"], options)
 */
export async function importLogs(
  harness: Harness,
  paths: readonly string[],
  options: ImportOptions,
): Promise<LogImport> {
  const { errors, allowMixed } = options;
  const fileRemarks: string[] = [];
  const logs = await harness.find(paths, { ...options, onRemark: (words) => fileRemarks.push(words) });
  const contents = new ContentTable();
  const selected = await selectRuns(logs, {
    ...{ errors, onDuplicate: options.onDuplicate, progress: options.progress },
    read: (log, special) => harness.read(log, options, special),
    keep: (run) => runScores(run, contents, errors),
  });
  const choices = choiceWarnings(selected);
  const { runs, warnings: renamed } = joinPackages(selected.runs);
  const differences = findProtocolDifferences(runs);
  if (!allowMixed) refuseMixedProtocols(differences);

  const areTrials = options.onDuplicate === "mean";
  const tasks = new Map(
    [...groupBy(runs, ({ log }) => log.task)].map(([task, all]) => [task, alignItems(all, areTrials)]),
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
  const reported = [...tasks.values()].flatMap(reportedRuns);
  const report: ImportReport = {
    harness: harness.name,
    models: matrix.subjects.length,
    items: matrix.items.length,
    weighting: weighting.overall,
    protocol: flatProtocol(
      harness.name,
      new Map([...tasks].map(([task, aligned]) => [task, aligned.runs.map((run) => seenFrom(options.folder, run.protocol))])), // prettier-ignore
    ),
    scenarios: scenarios.map(({ id, tasks: names, weighting: within }) => ({
      id,
      tasks: names,
      items: matrix.items.filter((item) => item.scenario === id).length,
      weighting: within,
    })),
    tasks: Array.from(tasks, ([task, aligned]) => {
      const { metric, filter } = aligned.runs[0]!;
      return { task, metric, filter };
    }),
    runs: reported,
    dropped: selected.dropped.map(({ model, task, file }) => ({ model, task, file })),
    errors,
    attempts: countStates(attempts),
    ...trialsAndPrices(trials, prices),
    protocolDifferences: differences,
    scores: { compared: comparisons.length, equal: comparisons.length - different.length, different },
    warnings: [
      ...fileRemarks,
      ...choices,
      ...renamed,
      ...unlikeWarnings(runs),
      ...unloggedWarnings(logs, paths),
      ...coverageWarnings(runs, logs),
      ...doubts,
      ...(differences.length > 0 ? [`the runs were not made alike:\n${differenceTable(differences)}`] : []),
      ...absentWarnings(runs),
      ...groupedRemarks(runs.map(({ log, remarks }) => ({ who: log.file, remarks }))),
      ...(failed === null ? [] : [failed]),
      ...matchingWarnings(reported),
      ...renamedWarnings(tasks),
      ...partWarnings(tasks),
      ...weighting.warnings,
      ...remarks,
      ...otherScoreWords(different, errors),
    ],
  };
  const facts = modelFacts(matrix.subjects, logs);
  return { matrix, ...(trials && { trials }), ...(facts && { modelFacts: facts }), prices, report };
}

/** Remarks on which runs count. @throws AnchorEvalError `invalid_data` where none does */
function choiceWarnings({ runs, remarks }: Awaited<ReturnType<typeof selectRuns<RunScores>>>): string[] {
  const warnings = groupedRemarks(
    remarks.map(({ log, words, counts = "" }) => ({ who: `${log.model}, ${log.task}${counts}`, remarks: [words] })),
  );
  if (runs.length === 0) throw new AnchorEvalError("invalid_data", ["no run has a score:", ...warnings].join("\n  "));
  return warnings;
}

function reportedRuns({ runs, matching }: AlignedTask): ReportedRun[] {
  return runs.map(({ log: { model, task, file, resultsFile }, attempts, documents }, index) => ({
    ...{ model, task, file, results: resultsFile },
    ...{ attempts: countStates(attempts), documents: documents.length },
    ...matching[index]!,
  }));
}

/** A protocol whose task is found from a folder. */
function seenFrom(folder: string | undefined, protocol: TaskProtocol): TaskProtocol {
  if (folder === undefined || protocol.taskCall === null) return protocol;
  const words = (JSON.parse(protocol.taskCall) as string[]).map((word) =>
    word.replace(PLACE, (_, argument: string | undefined, place: string) => {
      const path = relative(folder, place).split(sep).join("/");
      return `${argument ?? ""}${path === "" ? "." : path}`;
    }),
  );
  return { ...protocol, taskCall: JSON.stringify(words) };
}

/** An absolute place, or an argument that is one. */
const PLACE = /^([\w-]+=)?(\/[^/]+\/.*|[a-z]:[/\\].*)$/i;

/** Models whose runs on several tasks are perhaps of several models. */
function unlikeWarnings(runs: readonly RunScores[]): string[] {
  const models = groupBy(runs, ({ log }) => log.model);
  return groupedRemarks(
    Array.from(models, ([who, ofModel]) => ({ who, remarks: unlikeRuns(ofModel.map(({ log }) => log)) })),
  );
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

/** Trials and prices as they stand in import.json. */
export interface TrialsAndPrices {
  /** Trials with a score, of how many cells of the matrix, and how many a cell has. Absent where each has one. */
  readonly trials?: {
    readonly scores: number;
    readonly cells: number;
    readonly fewest: number;
    readonly most: number;
  };
  /** Of each column of prices: models that it is known of, the price of all items together, and those whose price is assumed. */
  readonly prices?: readonly {
    readonly column: CostKind;
    readonly models: number;
    readonly total: number;
    readonly assumed: readonly string[];
  }[];
}

/** Trials and prices in figures; nothing where there are none. */
export function trialsAndPrices(
  trials: readonly CellTrials[] | undefined,
  prices: readonly TypicalPrices[],
): TrialsAndPrices {
  const counts = trials?.map(({ scores }) => scores.length) ?? [];
  const extreme = (better: (a: number, b: number) => number): number => counts.reduce((a, b) => better(a, b));
  const total = (items: TypicalPrices["items"]): number =>
    Array.from(items.values()).reduce((sum, price) => sum + price, 0);
  return {
    ...(counts.length > 0 && {
      trials: {
        scores: counts.reduce((sum, count) => sum + count, 0),
        cells: counts.length,
        fewest: extreme((a, b) => Math.min(a, b)),
        most: extreme((a, b) => Math.max(a, b)),
      },
    }),
    ...(prices.length > 0 && {
      prices: prices.map(({ kind, models, items, assumed }) => ({
        ...{ column: kind, models, total: Number(total(items).toPrecision(6)), assumed },
      })),
    }),
  };
}
