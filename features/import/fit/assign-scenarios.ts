import type { Weighting } from "anchoreval/internal/core/bundle/names";
import { type ComparedScore, isHarnessScore } from "anchoreval/internal/logs/answer-warnings";
import { groupBy, type RunLog, type RunResults } from "anchoreval/internal/logs/run-log";
import { groupOfTask, groupWeighting, leafTasks } from "anchoreval/internal/logs/task-groups";
import { type ScaleOptions, scoreScale } from "anchoreval/internal/tables/score-reader";
import type { RunScores } from "./run-scores.ts";

export interface ImportedScenario {
  readonly id: string;
  readonly tasks: readonly string[];
  /** The scenario is a group of the harness, its tasks are the subscenarios; else it is one task. */
  readonly grouped: boolean;
  /** How the harness weights the tasks; null where it doesn't matter, or where nothing tells. */
  readonly weighting: Weighting | null;
}

interface AssignedScenarios {
  readonly scenarios: readonly ImportedScenario[];
  readonly warnings: readonly string[];
}

/**
 * Scenarios and their tasks: a group that the harness scores is a scenario, and its tasks the subscenarios; a task
 * outside of such groups is a scenario of its own. Where runs disagree, what most of them say counts.
 * @param logs - all that were found: a task that was run again by itself is in the group of its older run
 */
export function assignScenarios(runs: readonly RunScores[], logs: readonly RunLog[]): AssignedScenarios {
  const warnings: string[] = [];
  const results = new Set(logs.flatMap((log) => log.results ?? []));
  const scenarioOf = (task: string): string => {
    const reported = [...results].flatMap((file) => (file.tasks.has(task) ? (groupOfTask(file, task) ?? []) : []));
    const groups = mostFrequent(reported);
    if (groups.length > 1)
      warnings.push(`${task} is in different groups: ${groups.join(", ")}; it counts to ${groups[0]!}`);
    return groups[0] ?? task;
  };
  const tasks = groupBy(new Set(runs.map((run) => run.log.task)), scenarioOf);
  const scenarios = [...tasks].map(([id, names]): ImportedScenario => {
    const files = [...results].filter((file) => file.groups.has(id));
    const [first] = files;
    if (!first || names.length === 1) {
      const inParts = runs.some(({ log }) => names.includes(log.task) && log.partOf !== undefined);
      return { id, tasks: names, grouped: first !== undefined, weighting: inParts ? "items" : null };
    }
    const listed = leafTasks(first, id);
    const sorted = [...names].sort((left, right) => listed.indexOf(left) - listed.indexOf(right));
    const { metric, filter } = runs.find((run) => names.includes(run.log.task))!;
    return {
      id,
      tasks: sorted,
      grouped: true,
      weighting: scenarioWeighting(id, `${metric},${filter}`, files, warnings),
    };
  });
  return { scenarios, warnings };
}

function scenarioWeighting(
  id: string,
  key: string,
  files: readonly RunResults[],
  warnings: string[],
): Weighting | null {
  const reported = files.map((file) => groupWeighting(file, id, key));
  const [first, second] = mostFrequent(reported.filter((value) => value === "items" || value === "subscenarios"));
  if (second !== undefined)
    warnings.push(`${id}: its runs weight the tasks differently; most by ${first!}, which counts`);
  if (first === undefined && !reported.includes("either"))
    warnings.push(
      files.some((file) => file.groups.get(id)!.aggregates.has(key))
        ? `${id}: its tasks' scores give the harness's score of the group neither by task nor by document`
        : `${id}: the harness has no score ${key} of this group; its tasks are taken to count the same`,
    );
  return first ?? null;
}

/** One weighting for the bundle; scenarios that need the other one lose their subscenarios, which comes to the same. */
export function overallWeighting(scenarios: readonly ImportedScenario[]): {
  readonly overall: Weighting;
  /** Scenarios to write without subscenarios. */
  readonly merged: readonly string[];
  readonly warnings: readonly string[];
} {
  const byItem = scenarios.filter((scenario) => scenario.weighting === "items").map((scenario) => scenario.id);
  const byTask = scenarios.some((scenario) => scenario.weighting === "subscenarios");
  if (byItem.length === 0) return { overall: "subscenarios", merged: [], warnings: [] };
  if (!byTask) return { overall: "items", merged: [], warnings: [] };
  return {
    overall: "subscenarios",
    merged: byItem,
    warnings: [
      `the harness weights tasks by document in ${byItem.join(", ")} and equally in others: the former are written without subscenarios, so that \`weighting: "subscenarios"\` gives the harness's scores`,
    ],
  };
}

function mostFrequent<T>(values: readonly T[]): T[] {
  return [...groupBy(values, (value) => value)]
    .sort((left, right) => right[1].length - left[1].length)
    .map(([value]) => value);
}

/** A score computed from the imported items, beside the harness's own. */
export interface ScoreComparison extends ComparedScore {
  readonly equal: boolean;
}

/**
 * Compares the full score of each model on each task and each scenario with the one that its results file reports. Left
 * out are those that no single results file covers.
 */
export function compareScores(
  runs: readonly RunScores[],
  scenarios: readonly ImportedScenario[],
  taskMean: (model: string, task: string) => TaskMean | null,
  options: ScaleOptions,
): ScoreComparison[] {
  const scale = scoreScale(options);
  const comparisons: ScoreComparison[] = [];
  for (const [model, ofModel] of groupBy(runs, (run) => run.log.model)) {
    const byTask = groupBy(ofModel, (run) => run.log.task);
    const compare = (name: string, tasks: readonly string[], weighting: Weighting | null): void => {
      const members = tasks.flatMap((task) => byTask.get(task) ?? []);
      const [first] = members;
      if (!first?.log.results || members.length !== tasks.length) return;
      if (members.some((run) => run.log.resultsFile !== first.log.resultsFile)) return;
      const { groups, tasks: reports } = first.log.results;
      const reported = (groups.get(name) ?? reports.get(name))?.aggregates.get(`${first.metric},${first.filter}`);
      const means = tasks.flatMap((task) => taskMean(model, task) ?? []);
      if (reported === undefined || means.length !== tasks.length) return;
      const imported = combine(means, weighting);
      const compared = { model, name, imported, harness: scale(reported) };
      comparisons.push({ ...compared, equal: isHarnessScore(compared) });
    };
    for (const { id, tasks, grouped, weighting } of scenarios) {
      for (const task of tasks) compare(task, [task], null);
      if (grouped) compare(id, tasks, weighting);
    }
  }
  return comparisons;
}

export interface TaskMean {
  readonly mean: number;
  readonly count: number;
}

function combine(parts: readonly TaskMean[], weighting: Weighting | null): number {
  const weights = parts.map(({ count }) => (weighting === "items" ? count : 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return parts.reduce((sum, { mean }, part) => sum + weights[part]! * mean, 0) / total;
}
