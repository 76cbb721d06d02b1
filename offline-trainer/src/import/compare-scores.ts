import type { Weighting } from "anchoreval/bundle";
import { scoreScale, type ScaleOptions } from "anchoreval/logs";
import { groupBy } from "./group-by.ts";
import type { ImportedScenario } from "./assign-scenarios.ts";
import type { RunScores } from "./run-scores.ts";

/** A score computed from the imported items, beside the harness's own. */
export interface ScoreComparison {
  readonly model: string;
  /** A scenario, or a task of one. */
  readonly name: string;
  readonly imported: number;
  readonly harness: number;
  readonly equal: boolean;
}

/** Scores as far apart are different ones. */
const TOLERANCE = 1e-6;

/**
 * Compares the full score of each model on each task and each scenario with the one that its results file reports. Left
 * out are those that no single results file covers.
 * @param taskMean - mean and count of the imported scores of a model on a task
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
      const own = tasks.flatMap((task) => byTask.get(task) ?? []);
      const [first] = own;
      if (!first?.log.results || own.length !== tasks.length) return;
      if (own.some((run) => run.log.resultsFile !== first.log.resultsFile)) return;
      const { groups, tasks: reports } = first.log.results;
      const reported = (groups.get(name) ?? reports.get(name))?.aggregates.get(`${first.metric},${first.filter}`);
      const means = tasks.flatMap((task) => taskMean(model, task) ?? []);
      if (reported === undefined || means.length !== tasks.length) return;
      const imported = combine(means, weighting);
      const harness = scale(reported);
      comparisons.push({ model, name, imported, harness, equal: Math.abs(imported - harness) <= TOLERANCE });
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

/** Score of a scenario from its tasks'. */
function combine(parts: readonly TaskMean[], weighting: Weighting | null): number {
  const weights = parts.map(({ count }) => (weighting === "items" ? count : 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return parts.reduce((sum, { mean }, part) => sum + weights[part]! * mean, 0) / total;
}
