import type { Weighting } from "anchoreval/bundle";
import { groupOfTask, groupWeighting, leafTasks } from "anchoreval/logs";
import { groupBy } from "./group-by.ts";
import type { RunScores } from "./run-scores.ts";

export interface ImportedScenario {
  readonly id: string;
  readonly tasks: readonly string[];
  /** The scenario is a group of the harness, its tasks are the subscenarios; else it is one task. */
  readonly grouped: boolean;
  /** How the harness weights the tasks; null where it doesn't matter, or where nothing tells. */
  readonly weighting: Weighting | null;
}

export interface AssignedScenarios {
  readonly scenarios: readonly ImportedScenario[];
  readonly warnings: readonly string[];
}

/**
 * Scenarios and their tasks: a group that the harness scores is a scenario, and its tasks the subscenarios; a task
 * outside of such groups is a scenario of its own. Where runs disagree, what most of them say counts.
 */
export function assignScenarios(runs: readonly RunScores[]): AssignedScenarios {
  const warnings: string[] = [];
  const tasks = new Map<string, string[]>();
  for (const [task, ofTask] of groupBy(runs, (run) => run.log.task)) {
    const told = ofTask.flatMap((run) => (run.log.results ? [groupOfTask(run.log.results, task)] : []));
    const groups = mostFrequent(told.filter((group) => group !== null));
    if (groups.length > 1)
      warnings.push(`${task} is in different groups: ${groups.join(", ")}; it counts to ${groups[0]!}`);
    const scenario = groups[0] ?? task;
    tasks.set(scenario, [...(tasks.get(scenario) ?? []), task]);
  }
  const scenarios = [...tasks].map(([id, names]): ImportedScenario => {
    const grouped = runs.some((run) => run.log.results?.groups.has(id));
    if (!grouped || names.length === 1) return { id, tasks: names, grouped, weighting: null };
    const order = runs.map((run) => run.log.results).find((results) => results?.groups.has(id));
    const listed = order ? leafTasks(order, id) : names;
    const sorted = [...names].sort((left, right) => listed.indexOf(left) - listed.indexOf(right));
    return { id, tasks: sorted, grouped, weighting: scenarioWeighting(id, runs, warnings) };
  });
  return { scenarios, warnings };
}

/** What the runs' results files tell of a group's weighting. */
function scenarioWeighting(id: string, runs: readonly RunScores[], warnings: string[]): Weighting | null {
  const told = new Map<string, Weighting | "either" | null>();
  for (const { log, metric, filter } of runs)
    if (log.results?.groups.has(id) && !told.has(log.resultsFile!))
      told.set(log.resultsFile!, groupWeighting(log.results, id, `${metric},${filter}`));
  const values = [...told.values()];
  const [first, second] = mostFrequent(values.filter((value) => value === "items" || value === "subscenarios"));
  if (second !== undefined)
    warnings.push(`${id}: its runs weight the tasks differently; most by ${first!}, which counts`);
  if (first === undefined && values.length > 0 && !values.includes("either"))
    warnings.push(`${id}: its tasks' scores give the harness's score of the group neither by task nor by document`);
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
      `the harness weights tasks by document in ${byItem.join(", ")} and equally in others: the former are written without subscenarios, so that --weighting subscenarios gives the harness's scores`,
    ],
  };
}

/** Distinct values, the most frequent first. */
function mostFrequent<T>(values: readonly T[]): T[] {
  return [...groupBy(values, (value) => value)]
    .sort((left, right) => right[1].length - left[1].length)
    .map(([value]) => value);
}
