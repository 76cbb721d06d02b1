import { idProblem } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { CellTrials } from "../matrix/readers/score-table.ts";
import { type ItemInfo, responseMatrix, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { AnswerCosts } from "../matrix/typical-prices.ts";
import type { ImportedScenario, TaskMean } from "./assign-scenarios.ts";
import { type ContentTable, countedTrials, type RunScores } from "./run-scores.ts";

interface AlignedItem {
  readonly doc_id: number | string;
  readonly hash: string | null;
}

interface AlignedTask {
  /** By document id. */
  readonly items: readonly AlignedItem[];
  /** For each run, the item of each of its samples; −1 where it is none. */
  readonly columns: readonly Int32Array[];
  readonly matching: readonly RunMatching[];
}

/** How the samples of a run found their items. */
export interface RunMatching {
  readonly byHash: number;
  /** By document id, as the log doesn't hold the documents. */
  readonly byId: number;
  /** Of those by hash: documents that the log numbers otherwise than most. */
  readonly renumbered: number;
  /** Documents with the id of an item and other content: not this item. */
  readonly changed: readonly (number | string)[];
}

/**
 * Matches the samples of all runs on one task: by content hash, else by document id. The item of an id is the content
 * that most runs have under it; other content under that id is a changed document, and is not matched.
 */
export function alignItems(runs: readonly RunScores[]): AlignedTask {
  const items = chooseItems(runs);
  const byHash = new Map<string, number[]>();
  const byId = new Map<string, number>();
  items.forEach(({ doc_id, hash }, index) => {
    byId.set(String(doc_id), index);
    if (hash !== null) byHash.set(hash, [...(byHash.get(hash) ?? []), index]);
  });
  const columns: Int32Array[] = [];
  const matching = runs.map((run): RunMatching => {
    const column = new Int32Array(run.documents.length).fill(-1);
    const taken = new Set<number>();
    const changed: (number | string)[] = [];
    let [hashed, identified, renumbered] = [0, 0, 0];
    const take = (sample: number, item: number): void => {
      column[sample] = item;
      taken.add(item);
    };
    // Samples that keep their number go first: of documents that are in a task twice, each keeps its own.
    const moved: number[] = [];
    run.documents.forEach((document, sample) => {
      const hash = run.hashes[sample] ?? null;
      const item = byId.get(String(document))!;
      if (hash === null) {
        identified++;
        take(sample, item);
      } else if (items[item]!.hash === hash) {
        hashed++;
        take(sample, item);
      } else moved.push(sample);
    });
    for (const sample of moved) {
      const item = (byHash.get(run.hashes[sample]!) ?? []).find((candidate) => !taken.has(candidate));
      if (item === undefined) changed.push(run.documents[sample]!);
      else {
        hashed++;
        renumbered++;
        take(sample, item);
      }
    }
    columns.push(column);
    return { byHash: hashed, byId: identified, renumbered, changed };
  });
  return { items, columns, matching };
}

/** One item per document id: the content that most runs have under it. */
function chooseItems(runs: readonly RunScores[]): AlignedItem[] {
  const votes = new Map<string, { doc_id: number | string; counts: Map<string | null, number> }>();
  for (const run of runs)
    run.documents.forEach((document, sample) => {
      const hash = run.hashes[sample] ?? null;
      const vote = votes.get(String(document)) ?? { doc_id: document, counts: new Map<string | null, number>() };
      vote.counts.set(hash, (vote.counts.get(hash) ?? 0) + 1);
      votes.set(String(document), vote);
    });
  return [...votes.values()]
    .map(({ doc_id, counts }) => {
      // A hash says more than its absence, whatever the number of runs.
      const [winner] = [...counts].sort(
        ([left, a], [right, b]) => Number(left === null) - Number(right === null) || b - a,
      );
      return { doc_id, hash: winner![0] };
    })
    .sort((left, right) => byDocument(left.doc_id, right.doc_id));
}

/** Numbers as numbers, and before names; parts of names that are numbers, too: "sum-9" before "sum-10". */
function byDocument(left: number | string, right: number | string): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
  return NATURAL.compare(String(left), String(right)) || (left < right ? -1 : 1);
}

const NATURAL = new Intl.Collator("en", { numeric: true });

/** The runs on a task, with their samples matched to its items. */
export interface TaskRuns extends AlignedTask {
  readonly own: readonly RunScores[];
}

interface FilledMatrix {
  readonly matrix: ResponseMatrix;
  /** Trials that the cells are the means of; absent where each is of one trial. */
  readonly trials: readonly CellTrials[] | undefined;
  /** Costs of the answers, as far as the logs say. */
  readonly costs: AnswerCosts;
  /** Mean of a model's scores on a task; null where it has none. */
  readonly taskMean: (model: string, task: string) => TaskMean | null;
}

/**
 * The matrix with items in the order of scenarios, tasks and documents. Several trials of an item, and those of several runs
 * of a model on a task, are averaged over those that have a score.
 * @param merged - scenarios whose items are written without subscenarios
 */
export function fillMatrix(
  tasks: ReadonlyMap<string, TaskRuns>,
  scenarios: readonly ImportedScenario[],
  { merged, contents }: { merged: readonly string[]; contents: ContentTable },
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
  const costs = new AnswerCosts();
  const isRepeated = [...tasks.values()].some(
    ({ own }) =>
      new Set(own.map((run) => run.log.model)).size < own.length ||
      own.some((run) => run.repeats.some(({ trials = [] }) => trials.length > 1)),
  );
  const cells: number[][] = [];
  for (const [task, { own, columns }] of tasks)
    own.forEach((run, index) => {
      const begin = rows.get(run.log.model)! + begins.get(task)!;
      columns[index]!.forEach((item, sample) => {
        if (item < 0) return;
        const cell = begin + item;
        const { cost, asked } = run.repeats[sample]!;
        if (cost) costs.add(run.log.model, items[cell % items.length]!.item_id, cost, asked);
        for (const score of countedTrials(run, sample)) {
          sums[cell]! += score;
          counts[cell]!++;
          if (isRepeated) (cells[cell] ??= []).push(score);
        }
      });
    });
  const scores = sums.map((sum, cell) => (counts[cell] === 0 ? NaN : sum / counts[cell]!));
  return {
    matrix: responseMatrix(models, items, scores),
    trials: cells.some((own) => own.length > 1)
      ? Object.entries(cells).map(([cell, own]) => ({
          model: models[Math.floor(Number(cell) / items.length)]!,
          item: items[Number(cell) % items.length]!.item_id,
          scores: own,
        }))
      : undefined,
    costs,
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
