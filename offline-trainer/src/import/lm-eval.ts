import { idProblem, type Weighting } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";
import { flatProtocol, taskProtocol, type Choose, type SampleState, type ScaleOptions } from "anchoreval/logs";
import { findLmEvalLogs, readLmEvalLog } from "anchoreval/node";
import { responseMatrix, type ItemInfo, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { alignItems, type AlignedTask, type RunMatching } from "./align-items.ts";
import { assignScenarios, type ImportedScenario } from "./assign-scenarios.ts";
import {
  differenceTable,
  protocolDifferences,
  refuseMixedProtocols,
  type ProtocolDifference,
} from "./check-protocols.ts";
import { compareScores, type ScoreComparison } from "./compare-scores.ts";
import { groupBy } from "./group-by.ts";
import { ContentTable, countedScore, countStates, runScores, type ErrorPolicy, type RunScores } from "./run-scores.ts";
import { selectRuns, type DuplicatePolicy } from "./select-runs.ts";

export interface LmEvalImportOptions extends ScaleOptions {
  readonly modelName?: string | undefined;
  readonly metric: Choose;
  readonly filter: Choose;
  readonly onDuplicate: DuplicatePolicy;
  readonly errors: ErrorPolicy;
  readonly allowMixed: boolean;
  /** Called for each log that was read. */
  readonly progress?: (done: number, total: number) => void;
}

/** What import.json holds: everything that was read, chosen and dropped. */
export interface ImportReport {
  readonly harness: "lm-eval";
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
  /** Older runs that were left out. */
  readonly dropped: readonly { readonly model: string; readonly task: string; readonly file: string }[];
  readonly errors: ErrorPolicy;
  readonly states: Readonly<Record<SampleState, number>>;
  readonly protocolDifferences: readonly ProtocolDifference[];
  /** Full scores beside the harness's own. */
  readonly scores: {
    readonly compared: number;
    readonly equal: number;
    readonly different: readonly ScoreComparison[];
  };
  readonly warnings: readonly string[];
}

interface ReportedRun extends RunMatching {
  readonly model: string;
  readonly task: string;
  readonly file: string;
  readonly results: string | null;
  readonly states: Readonly<Record<SampleState, number>>;
}

export interface LmEvalImport {
  readonly matrix: ResponseMatrix;
  readonly report: ImportReport;
}

/**
 * Makes a response matrix of the per-sample logs of lm-evaluation-harness.
 * @param paths - files and folders, of one or many models
 * @throws AnchorEvalError `invalid_data`, `invalid_option`, `unsupported`, `not_found`: docs of `readLmEvalSamples`,
 * `findLmEvalLogs`, `selectRuns`, `refuseMixedProtocols`
 */
export async function importLmEval(paths: readonly string[], options: LmEvalImportOptions): Promise<LmEvalImport> {
  const logs = await findLmEvalLogs(paths, options);
  const { chosen, dropped, warnings } = selectRuns(logs, options.onDuplicate);
  const contents = new ContentTable();
  const runs: RunScores[] = [];
  for (const log of chosen) {
    const samples = await readLmEvalLog(log, options);
    runs.push(runScores(log, samples, taskProtocol(log.results, samples), contents));
    options.progress?.(runs.length, chosen.length);
  }

  const differences = protocolDifferences(runs);
  if (!options.allowMixed) refuseMixedProtocols(differences);
  const aligned = new Map(
    [...groupBy(runs, (run) => run.log.task)].map(([task, own]) => [task, { own, ...alignItems(own) }]),
  );
  const { scenarios, warnings: doubts } = assignScenarios(runs);
  const weighting = overallWeighting(scenarios);
  const models = [...new Set(runs.map((run) => run.log.model))];
  const { items, scores, taskMean } = fill(models, scenarios, aligned, weighting, contents, options);
  const comparisons = compareScores(runs, scenarios, taskMean, options);
  const different = comparisons.filter((comparison) => !comparison.equal);
  const states = countStates(runs);
  const reported = [...aligned.values()].flatMap(({ own, matching }) =>
    own.map((run, index): ReportedRun => ({
      model: run.log.model,
      task: run.log.task,
      file: run.log.file,
      results: run.log.resultsFile,
      states: countStates([run]),
      ...matching[index]!,
    })),
  );
  return {
    matrix: responseMatrix(models, items, scores),
    report: {
      harness: "lm-eval",
      models: models.length,
      items: items.length,
      weighting: weighting.overall,
      protocol: flatProtocol(new Map([...aligned].map(([task, { own }]) => [task, own.map((run) => run.protocol)]))),
      scenarios: scenarios.map(({ id, tasks, weighting: own }) => ({
        id,
        tasks,
        items: items.filter((item) => item.scenario === id).length,
        weighting: own,
      })),
      tasks: [...aligned].map(([task, { own }]) => ({ task, metric: own[0]!.metric, filter: own[0]!.filter })),
      runs: reported,
      dropped: dropped.map(({ model, task, file }) => ({ model, task, file })),
      errors: options.errors,
      states,
      protocolDifferences: differences,
      scores: { compared: comparisons.length, equal: comparisons.length - different.length, different },
      warnings: [
        ...warnings,
        ...doubts,
        ...(differences.length > 0 ? [`the runs were not made alike:\n${differenceTable(differences)}`] : []),
        ...stateWarnings(states, options.errors),
        ...matchingWarnings(reported),
        ...(weighting.merged.length > 0
          ? [
              `the harness weights tasks by document in ${weighting.merged.join(", ")} and equally in others: the former are written without subscenarios, so that --weighting subscenarios gives the harness's scores`,
            ]
          : []),
        ...scoreWarnings(different, options.errors),
      ],
    },
  };
}

/** One weighting for the bundle; scenarios that need the other one lose their subscenarios, which comes to the same. */
function overallWeighting(scenarios: readonly ImportedScenario[]): { overall: Weighting; merged: string[] } {
  const byItem = scenarios.filter((scenario) => scenario.weighting === "items").map((scenario) => scenario.id);
  const byTask = scenarios.some((scenario) => scenario.weighting === "subscenarios");
  if (byItem.length === 0) return { overall: "subscenarios", merged: [] };
  return byTask ? { overall: "subscenarios", merged: byItem } : { overall: "items", merged: [] };
}

/** The items in the order of scenarios, tasks and documents, and all scores. */
function fill(
  models: readonly string[],
  scenarios: readonly ImportedScenario[],
  aligned: ReadonlyMap<string, AlignedTask & { readonly own: readonly RunScores[] }>,
  { merged }: { merged: readonly string[] },
  contents: ContentTable,
  { errors }: LmEvalImportOptions,
): {
  items: ItemInfo[];
  scores: Float64Array;
  taskMean: (model: string, task: string) => { mean: number; count: number } | null;
} {
  const items: ItemInfo[] = [];
  const begins = new Map<string, number>();
  for (const { id, tasks, grouped } of scenarios)
    for (const task of tasks) {
      begins.set(task, items.length);
      for (const { doc_id, hash } of aligned.get(task)!.items) {
        const text = hash === null ? undefined : contents.text(hash);
        const item = {
          item_id: `${task}/${doc_id}`,
          scenario: id,
          ...(grouped && !merged.includes(id) && { subscenario: task }),
          ...(text !== undefined && { text }),
          ...(hash !== null && { hash }),
          task,
          doc_id,
        };
        const problem = idProblem(item.item_id) ?? idProblem(id);
        if (problem !== null) throw new AnchorEvalError("invalid_data", `${item.item_id} of ${id}: ${problem}`);
        items.push(item);
      }
    }

  // Several runs of a model on a task are averaged over those that have a score.
  const sums = new Float64Array(models.length * items.length);
  const counts = new Uint16Array(sums.length);
  const rows = new Map(models.map((model, row) => [model, row * items.length]));
  for (const [task, { own, columns }] of aligned)
    own.forEach((run, index) => {
      const begin = rows.get(run.log.model)! + begins.get(task)!;
      columns[index]!.forEach((item, sample) => {
        const score = countedScore(run, sample, errors);
        if (item < 0 || Number.isNaN(score)) return;
        sums[begin + item]! += score;
        counts[begin + item]!++;
      });
    });
  const scores = sums.map((sum, cell) => (counts[cell] === 0 ? NaN : sum / counts[cell]!));
  const taskMean = (model: string, task: string): { mean: number; count: number } | null => {
    const begin = rows.get(model)! + begins.get(task)!;
    const observed = scores
      .subarray(begin, begin + aligned.get(task)!.items.length)
      .filter((score) => !Number.isNaN(score));
    if (observed.length === 0) return null;
    return { mean: observed.reduce((sum, score) => sum + score, 0) / observed.length, count: observed.length };
  };
  return { items, scores, taskMean };
}

/** Above this share, samples without an answer or a score are worth a word. */
const NOTABLE_SHARE = 0.02;

function stateWarnings({ scored, errored, unscored }: Record<SampleState, number>, errors: ErrorPolicy): string[] {
  const total = scored + errored + unscored;
  if (errored + unscored <= NOTABLE_SHARE * total) return [];
  const counted = {
    harness: "counted as the harness counts them: the score that it gave, else missing",
    missing: "missing",
    wrong: "counted as wrong",
  }[errors];
  return [
    `of ${total} samples, ${errored} have no answer of the model and ${unscored} no score: ${counted} (--errors missing|wrong)`,
  ];
}

function matchingWarnings(runs: readonly ReportedRun[]): string[] {
  const list = (told: readonly string[]): string => `${told.slice(0, 3).join("; ")}${told.length > 3 ? "; …" : ""}`;
  const changed = runs.filter((run) => run.changed.length > 0);
  const renumbered = runs.filter((run) => run.renumbered > 0);
  const warnings: string[] = [];
  if (changed.length > 0)
    warnings.push(
      `${changed.reduce((sum, run) => sum + run.changed.length, 0)} samples were left out, as their documents differ from most models': ${list(changed.map((run) => `${run.model}, ${run.task}: ${run.changed.length}`))}`,
    );
  if (renumbered.length > 0)
    warnings.push(
      `${renumbered.reduce((sum, run) => sum + run.renumbered, 0)} samples have another document's number, and were matched by content: ${list(renumbered.map((run) => `${run.model}, ${run.task}: ${run.renumbered}`))}`,
    );
  return warnings;
}

function scoreWarnings(different: readonly ScoreComparison[], errors: ErrorPolicy): string[] {
  const policy = errors === "harness" ? "" : ` (--errors ${errors} moves scores)`;
  const shown = different
    .slice(0, 5)
    .map(
      ({ model, name, imported, harness }) =>
        `${model}, ${name}: ${imported.toFixed(6)} here, ${harness.toFixed(6)} there`,
    );
  return different.length === 0
    ? []
    : [
        `${different.length} ${different.length === 1 ? "score differs" : "scores differ"} from the harness's own${policy}: ${shown.join("; ")}${different.length > 5 ? "; …" : ""}`,
      ];
}
