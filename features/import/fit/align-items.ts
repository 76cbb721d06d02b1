import { idProblem } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { groupBy } from "anchoreval/internal/logs/run-log";
import type { CellTrials } from "../../../offline-trainer/src/matrix/readers/score-table.ts";
import {
  type ItemInfo,
  responseMatrix,
  type ResponseMatrix,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { AnswerCosts } from "../../prices/fit/typical-prices.ts";
import type { ImportedScenario, TaskMean } from "./assign-scenarios.ts";
import { type ContentTable, countedTrials, type RunScores } from "./run-scores.ts";
import { isNumberedAlike } from "anchoreval/internal/logs/same-documents";

/** The runs on a task, with their samples matched to its items. */
export interface AlignedTask extends ReturnType<typeof chooseItems> {
  readonly runs: readonly RunScores[];
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
 * Matches the samples of all runs on one task: by content hash, whatever their numbers are, by document id only where a log
 * doesn't hold the documents.
 * @param areTrials - several runs of a model are trials of the same items, and not parts of one
 */
export function alignItems(runs: readonly RunScores[], areTrials: boolean): AlignedTask {
  const whole = areTrials ? runs.map((run) => [run]) : [...groupBy(runs, ({ log }) => log.model).values()];
  const chosen = chooseItems(whole);
  const byId = new Map(chosen.items.map(({ doc_id }, index) => [String(doc_id), index]));
  const byHash = groupBy(chosen.items.keys(), (index) => chosen.items[index]!.hash);
  byHash.delete(null);
  const matched = new Map<RunScores, { column: Int32Array; matching: RunMatching }>();
  for (const parts of whole) {
    const taken = new Set<number>();
    // Samples that keep their number go first: of documents that are in a task twice, each keeps its own.
    const kept = parts.map((run) =>
      Int32Array.from(run.documents, (document, sample) => {
        const item = byId.get(String(document)) ?? -1;
        const hash = run.hashes[sample] ?? null;
        if (item < 0 || (hash !== null && chosen.items[item]!.hash !== hash)) return -1;
        taken.add(item);
        return item;
      }),
    );
    for (const [part, run] of parts.entries()) {
      const changed: (number | string)[] = [];
      const column = kept[part]!.map((item, sample) => {
        if (item >= 0) return item;
        const free = (byHash.get(run.hashes[sample]!) ?? []).find((candidate) => !taken.has(candidate)) ?? -1;
        if (free < 0) changed.push(run.documents[sample]!);
        else taken.add(free);
        return free;
      });
      const byNumber = run.hashes.filter((hash) => hash === null).length;
      const counts = { byHash: column.length - byNumber - changed.length, byId: byNumber };
      const renumbered = column.filter((item, sample) => item >= 0 && kept[part]![sample]! < 0).length;
      matched.set(run, { column, matching: { ...counts, renumbered, changed } });
    }
  }
  return {
    ...chosen,
    runs,
    columns: runs.map((run) => matched.get(run)!.column),
    matching: runs.map((run) => matched.get(run)!.matching),
  };
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
  tasks: ReadonlyMap<string, AlignedTask>,
  scenarios: readonly ImportedScenario[],
  { merged, contents }: { merged: readonly string[]; contents: ContentTable },
): FilledMatrix {
  const items: ItemInfo[] = [];
  const begins = new Map<string, number>();
  for (const scenario of scenarios)
    for (const task of scenario.tasks) {
      begins.set(task, items.length);
      const { items: documents, runs } = tasks.get(task)!;
      const partOf = scenario.grouped ? () => task : runs[0]!.log.partOf;
      const subscenarioOf = merged.includes(scenario.id) ? undefined : partOf;
      for (const item of documents)
        items.push(describe(item, task, scenario.id, subscenarioOf?.(item.doc_id) ?? null, contents));
    }
  const models = [...new Set([...tasks.values()].flatMap(({ runs }) => runs.map((run) => run.log.model)))];
  const rows = new Map(models.map((model, row) => [model, row * items.length]));
  const sums = new Float64Array(models.length * items.length);
  const counts = new Uint16Array(sums.length);
  const costs = new AnswerCosts();
  const isRepeated = [...tasks.values()].some(
    ({ runs }) =>
      new Set(runs.map((run) => run.log.model)).size < runs.length ||
      runs.some((run) => run.repeats.some(({ trials = [] }) => trials.length > 1)),
  );
  const cells: number[][] = [];
  for (const [task, { runs, columns }] of tasks)
    runs.forEach((run, index) => {
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
    trials: cells.some((ofCell) => ofCell.length > 1)
      ? Object.entries(cells).map(([cell, ofCell]) => ({
          model: models[Math.floor(Number(cell) / items.length)]!,
          item: items[Number(cell) % items.length]!.item_id,
          scores: ofCell,
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
  { doc_id, hash }: AlignedItem,
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

interface AlignedItem {
  readonly doc_id: number | string;
  readonly hash: string | null;
}

/** The items of a task. */
interface ChosenItems {
  /** By document id. */
  readonly items: readonly AlignedItem[];
  /** Those whose ids are other documents' in most runs: they are called by id and content. */
  readonly renamed: readonly AlignedItem[];
}

/** Runs that count as one, each on its documents; of trials each is alone. */
type RunParts = readonly RunScores[];

/** Digits of a content's hash in an item's name: 16 to the 8th are 4 billion, among the few contents of an id. */
const HASH_DIGITS = 8;

/**
 * One item for each content, called by the id under which most runs have it; for each id where no log holds the documents.
 * Other content under the id of an item is a changed document and no item, unless its run numbers documents otherwise than
 * most.
 */
function chooseItems(runs: readonly RunParts[]): ChosenItems {
  const votes = countVotes(runs.flat());
  const times = mostTimes(runs);
  const byId = new Map<string, AlignedItem>();
  const byHash = new Map<string, AlignedItem[]>();
  const add = (item: AlignedItem): void => {
    byId.set(String(item.doc_id), item);
    if (item.hash !== null) byHash.set(item.hash, [...(byHash.get(item.hash) ?? []), item]);
  };
  const isLacking = (hash: string | null): hash is string =>
    hash !== null && (byHash.get(hash)?.length ?? 0) < times.get(hash)!;
  for (const { doc_id, hash } of votes) if (isLacking(hash) && !byId.has(String(doc_id))) add({ doc_id, hash });
  const renamed: AlignedItem[] = [];
  let rest = runs;
  for (;;) {
    const otherwise = new Set(rest.filter((parts) => isNumberedOtherwise(parts, byHash)));
    if (otherwise.size === 0) break;
    rest = rest.filter((parts) => !otherwise.has(parts));
    const contents = new Set([...otherwise].flatMap((parts) => parts.flatMap(({ hashes }) => hashes)));
    for (const { doc_id, hash } of votes) {
      if (!contents.has(hash) || !isLacking(hash) || byId.get(String(doc_id))?.hash === hash) continue;
      const item = { doc_id: `${doc_id}-${hash.slice(0, HASH_DIGITS)}`, hash };
      renamed.push(item);
      add(item);
    }
  }
  for (const { doc_id, hash } of votes) if (hash === null && !byId.has(String(doc_id))) add({ doc_id, hash });
  return { items: [...byId.values()].sort((left, right) => byDocument(left.doc_id, right.doc_id)), renamed };
}

/** The contents of each id, those of most runs first. */
function countVotes(runs: readonly RunScores[]): AlignedItem[] {
  const votes = new Map<string, Map<string | null, AlignedItem & { count: number }>>();
  for (const { documents, hashes } of runs)
    for (const [sample, doc_id] of documents.entries()) {
      const hash = hashes[sample] ?? null;
      const ofId = votes.get(String(doc_id)) ?? new Map<string | null, AlignedItem & { count: number }>();
      const vote = ofId.get(hash);
      if (vote) vote.count++;
      else ofId.set(hash, { doc_id, hash, count: 1 });
      votes.set(String(doc_id), ofId);
    }
  return [...votes.values()].flatMap((ofId) => [...ofId.values()]).sort((left, right) => right.count - left.count);
}

/** How often each content is in the run that has it most often. */
function mostTimes(runs: readonly RunParts[]): Map<string, number> {
  const most = new Map<string, number>();
  for (const parts of runs) {
    const times = new Map<string, number>();
    for (const { hashes } of parts)
      for (const hash of hashes) if (hash !== null) times.set(hash, (times.get(hash) ?? 0) + 1);
    for (const [hash, count] of times) most.set(hash, Math.max(count, most.get(hash) ?? 0));
  }
  return most;
}

/** Whether a run has an item's content under other ids alone, or two contents under one id. */
function isNumberedOtherwise(parts: RunParts, byHash: ReadonlyMap<string, readonly AlignedItem[]>): boolean {
  const documents = parts.map((run) => run.documents.map((doc_id, k) => ({ doc_id, hash: run.hashes[k] ?? null })));
  const isMoved = ({ doc_id, hash }: AlignedItem): boolean =>
    byHash.get(hash ?? "")?.every((item) => String(item.doc_id) !== String(doc_id)) === true;
  return documents.some((asked) => asked.some(isMoved)) || !isNumberedAlike(documents);
}

/** Numbers as numbers, and before names; parts of names that are numbers, too: "sum-9" before "sum-10". */
function byDocument(left: number | string, right: number | string): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
  return NATURAL.compare(String(left), String(right)) || (left < right ? -1 : 1);
}

const NATURAL = new Intl.Collator("en", { numeric: true });
