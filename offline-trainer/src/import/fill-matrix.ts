import { idProblem } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";
import { responseMatrix, type ItemInfo, type ResponseMatrix } from "../matrix/response-matrix.ts";
import type { AlignedTask } from "./align-items.ts";
import type { ImportedScenario } from "./assign-scenarios.ts";
import type { TaskMean } from "./compare-scores.ts";
import { countedScore, type ContentTable, type ErrorPolicy, type RunScores } from "./run-scores.ts";

/** The runs on a task, with their samples matched to its items. */
export interface TaskRuns extends AlignedTask {
  readonly own: readonly RunScores[];
}

export interface FilledMatrix {
  readonly matrix: ResponseMatrix;
  /** Mean of a model's scores on a task; null where it has none. */
  readonly taskMean: (model: string, task: string) => TaskMean | null;
}

/**
 * The matrix with items in the order of scenarios, tasks and documents. Several runs of a model on a task are averaged
 * over those that have a score.
 * @param merged - scenarios whose items are written without subscenarios
 */
export function fillMatrix(
  tasks: ReadonlyMap<string, TaskRuns>,
  scenarios: readonly ImportedScenario[],
  { merged, errors, contents }: { merged: readonly string[]; errors: ErrorPolicy; contents: ContentTable },
): FilledMatrix {
  const items: ItemInfo[] = [];
  const begins = new Map<string, number>();
  for (const scenario of scenarios)
    for (const task of scenario.tasks) {
      begins.set(task, items.length);
      const subscenario = scenario.grouped && !merged.includes(scenario.id) ? task : null;
      for (const item of tasks.get(task)!.items) items.push(describe(item, task, scenario.id, subscenario, contents));
    }
  const models = [...new Set([...tasks.values()].flatMap(({ own }) => own.map((run) => run.log.model)))];
  const rows = new Map(models.map((model, row) => [model, row * items.length]));
  const sums = new Float64Array(models.length * items.length);
  const counts = new Uint16Array(sums.length);
  for (const [task, { own, columns }] of tasks)
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
  return {
    matrix: responseMatrix(models, items, scores),
    taskMean: (model, task) => {
      const begin = rows.get(model)! + begins.get(task)!;
      const observed = scores
        .subarray(begin, begin + tasks.get(task)!.items.length)
        .filter((score) => !Number.isNaN(score));
      if (observed.length === 0) return null;
      return { mean: observed.reduce((sum, score) => sum + score, 0) / observed.length, count: observed.length };
    },
  };
}

function describe(
  { doc_id, hash }: AlignedTask["items"][number],
  task: string,
  scenario: string,
  subscenario: string | null,
  contents: ContentTable,
): ItemInfo {
  const text = hash === null ? undefined : contents.text(hash);
  const item_id = `${task}/${doc_id}`;
  const problem = idProblem(item_id) ?? idProblem(scenario);
  if (problem !== null) throw new AnchorEvalError("invalid_data", `${item_id} of ${scenario}: ${problem}`);
  return {
    item_id,
    scenario,
    ...(subscenario !== null && { subscenario }),
    ...(text !== undefined && { text }),
    ...(hash !== null && { hash }),
    task,
    doc_id,
  };
}
