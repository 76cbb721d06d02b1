import { idProblem } from "anchoreval/internal/core/bundle/names";
import { type DataIssues, jsonKind, quoted } from "anchoreval/internal/tables/data-issues";
import type { ScoreReader } from "anchoreval/internal/tables/score-reader";
import { emptyCells, groupedOrder, type ItemInfo, LEAST_MODELS, type ResponseMatrix } from "../response-matrix.ts";
import { counted } from "anchoreval/internal/words/figures";

/** Cells that a table may have: dense storage takes up to four bytes for each while it is read. */
const MOST_CELLS = 2 ** 30;

/** Scores of a model: bytes while all are 0 or 1. A negative number stands where there is none. */
type ScoreRow = Int8Array | Float32Array;

/** In a row: the item was named without a score, or wasn't named. */
const [NO_SCORE, NOT_NAMED] = [-1, -2];

/** A row of so many items that weren't named. */
export function emptyRow(length: number): ScoreRow {
  return new Int8Array(length).fill(NOT_NAMED);
}

/** Puts a score into a row, NaN for none. @returns the row, or a wider one that takes its place */
export function withScore(row: ScoreRow, item: number, score: number): ScoreRow {
  const fits = row instanceof Float32Array || Object.is(score, 0) || score === 1 || Number.isNaN(score);
  const wide = fits ? row : Float32Array.from(row);
  wide[item] = Number.isNaN(score) ? NO_SCORE : score;
  return wide;
}

/**
 * Scores as they are read, a row a model: columns in the order in which items were first named. A row may be shorter than
 * the number of items: the rest was not named.
 */
export class ScoreTable {
  readonly models: string[] = [];
  /** The line on which each model was first named. */
  readonly modelRows: number[] = [];
  readonly items: string[] = [];
  readonly rows: ScoreRow[] = [];
  readonly issues: DataIssues;
  readonly reader: ScoreReader;
  /** Takes the scores of a table that has several trials of one model on one item; the table has their means at last. */
  repeats: RepeatedScores | null = null;
  readonly #models = new Map<string, number>();
  readonly #items = new Map<string, number>();
  /** The item behind the one that was asked for last. */
  #next = 0;

  constructor(issues: DataIssues, reader: ScoreReader) {
    this.issues = issues;
    this.reader = reader;
  }

  model(name: string): number | undefined {
    return this.#models.get(name);
  }

  item(id: string): number | undefined {
    // Rows go through the items in one order, mostly.
    const next = this.#next;
    const place = this.items[next] === id ? next : this.#items.get(id);
    if (place !== undefined) this.#next = place + 1 === this.items.length ? 0 : place + 1;
    return place;
  }

  /** Adds a model with its scores so far. Its name is checked, and the issue noted. */
  addModel(name: string, row: number, column: string, scores: ScoreRow): number {
    this.rows.push(scores);
    this.modelRows.push(row);
    return this.#add(name, row, column, this.models, this.#models);
  }

  /** Adds an item. Its id is checked, and the issue noted. */
  addItem(id: string, row: number, column: string | number): number {
    return this.#add(id, row, column, this.items, this.#items);
  }

  #add(id: string, row: number, column: string | number, ids: string[], places: Map<string, number>): number {
    const problem = idProblem(id);
    if (problem) this.issues.add({ row, column }, "invalid_id", `${problem}, got ${quoted(id)}`);
    const copy = ownCopy(id);
    const place = ids.push(copy) - 1;
    places.set(copy, place);
    if (this.models.length * this.items.length > MOST_CELLS)
      this.issues.fail(
        { row },
        "too_large",
        `${this.models.length} models × ${this.items.length} items are more than the ${MOST_CELLS} scores that a table may have`,
      );
    return place;
  }

  /** Puts down one score as it was read, or notes why it can't be. */
  enter(
    model: number,
    item: number,
    score: ReturnType<ScoreReader["fromText"]>,
    { row, column, duplicate }: ScorePlace,
    issues = this.issues,
  ): void {
    let scores = this.rows[model]!;
    if (item >= scores.length) {
      const length = Math.max(64, 2 ** Math.ceil(Math.log2(item + 1)), this.items.length);
      const longer = scores instanceof Int8Array ? new Int8Array(length) : new Float32Array(length);
      longer.fill(NOT_NAMED).set(scores);
      this.rows[model] = scores = longer;
    }
    if (scores[item] !== NOT_NAMED) {
      const message = `model ${quoted(this.models[model]!)} answers item ${quoted(this.items[item]!)} twice`;
      issues.add({ row, column: duplicate }, "duplicate", message);
      return;
    }
    this.rows[model] = withScore(scores, item, typeof score === "number" ? score : NaN);
    if (typeof score === "object") issues.add({ row, column }, score.code, score.message);
  }

  /** Text, as ids are; null, with the issue noted, for anything else. */
  idOf(value: unknown, row: number, column: string, name = column): string | null {
    if (typeof value === "string") return value;
    this.issues.add({ row, column }, "wrong_type", `${name} must be text, got ${jsonKind(value)}`);
    return null;
  }
}

/** Trials of one model on one item. */
export interface CellTrials {
  readonly model: string;
  readonly item: string;
  /** Of the trials that have one, in [0,1]. */
  readonly scores: readonly number[];
}

/** Where a score stands: the column in which it is wrong, and that in which the item is there again. */
interface ScorePlace {
  readonly row: number;
  readonly column: string;
  readonly duplicate: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A string of its own: a part of a line would keep the whole chunk of the file in memory. */
export function ownCopy(text: string): string {
  return decoder.decode(encoder.encode(text));
}

/** The rules that hold for a table as a whole: models enough, and no model and no item without any score. */
export function checkTable({ models, modelRows, items, rows, issues }: ScoreTable, fewest = LEAST_MODELS): void {
  if (models.length === 0) issues.fail({}, "empty", "the file has no scores");
  if (models.length < fewest)
    issues.fail(
      {},
      "too_few_models",
      `${models.length} ${models.length === 1 ? "model is" : "models are"} too few: at least ${fewest} are needed`,
    );
  const perItem = new Uint32Array(items.length);
  rows.forEach((row, m) => {
    let scores = 0;
    for (let i = 0; i < items.length && i < row.length; i++)
      if (row[i]! >= 0) {
        scores++;
        perItem[i]!++;
      }
    if (scores === 0)
      issues.add({ row: modelRows[m]! }, "model_without_scores", `model ${quoted(models[m]!)} has no score at all`);
  });
  perItem.forEach((scores, i) => {
    if (scores === 0) issues.add({ column: items[i]! }, "item_without_scores", "the item has no score at all");
  });
  issues.refuse();
}

/**
 * The matrix of a table, its items grouped by scenario and subscenario, straight into the tightest storage. The table's
 * rows are given up on the way, so that large ones are never held twice.
 */
export function assembleMatrix(table: ScoreTable, described: readonly ItemInfo[]): ResponseMatrix {
  const { models, rows } = table;
  const items = Array.from(groupedOrder(described), (i) => described[i]!);
  const count = models.length * items.length;
  const { scores, observed } = emptyCells(count, kindOfScores(table));
  const columns = Uint32Array.from(items, (item) => table.item(item.item_id)!);
  let at = 0;
  for (let m = 0; m < rows.length; m++) {
    const row = rows[m]!;
    for (let i = 0; i < columns.length; i++, at++) {
      const column = columns[i]!;
      const score = column < row.length ? row[column]! : NOT_NAMED;
      if (score >= 0) {
        scores[at] = score;
        if (observed) observed[at] = 1;
      }
    }
    rows[m] = emptyRow(0);
  }
  return { subjects: models, items, stride: items.length, scores, observed };
}

function kindOfScores({ items, rows }: ScoreTable): { binary: boolean; missing: boolean } {
  let binary = true;
  let missing = false;
  for (const row of rows) {
    if (row.length < items.length) missing = true;
    const named = Math.min(row.length, items.length);
    for (let i = 0; i < named; i++) {
      const score = row[i]!;
      if (!(score >= 0)) missing = true;
      else if (score !== 0 && score !== 1) binary = false;
    }
  }
  return { binary, missing };
}

/** Column that tells the trials of one model on one item apart. */
export const TRIAL_COLUMN = "trial";

/** The trials of one model on one item, by their names; NaN without a score. */
type Cell = Map<string, number>;

/** The scores of a long table with a column of trials: a row a trial. The table gets each cell's mean once all are read. */
export class RepeatedScores {
  readonly #table: ScoreTable;
  readonly #column: string;
  /** By model, then by item. */
  readonly #cells: Map<number, Cell>[] = [];
  /** Names that trials were given: few, and each kept once. */
  readonly #names = new Map<string, string>();

  /** @param column - the column that tells trials apart, for messages */
  constructor(table: ScoreTable, column: string = TRIAL_COLUMN) {
    this.#table = table;
    this.#column = column;
  }

  /** Puts down one trial as it was read, or notes why it can't be. */
  enter(
    { model, item, trial }: { readonly model: number; readonly item: number; readonly trial: unknown },
    score: Parameters<ScoreTable["enter"]>[2],
    { row, column }: ScorePlace,
  ): void {
    const { issues, models, items } = this.#table;
    if ((typeof trial !== "string" && typeof trial !== "number") || trial === "") {
      const got = trial === "" ? "none" : jsonKind(trial);
      issues.add({ row, column: this.#column }, "missing_trial", `a trial has a number or a name, got ${got}`);
      return;
    }
    const name = String(trial);
    if (!this.#names.has(name)) this.#names.set(name, name);
    const cells = (this.#cells[model] ??= new Map<number, Cell>());
    const cell = cells.get(item) ?? new Map<string, number>();
    cells.set(item, cell);
    if (cell.has(name)) {
      const message = `model ${quoted(models[model]!)} has trial ${quoted(name)} of item ${quoted(items[item]!)} twice`;
      issues.add({ row, column: this.#column }, "duplicate", message);
      return;
    }
    cell.set(this.#names.get(name)!, typeof score === "number" ? score : NaN);
    if (typeof score === "object") issues.add({ row, column }, score.code, score.message);
  }

  /** Enters every cell's mean into the table, over the trials that have a score. @returns all cells that have one */
  finish(): CellTrials[] {
    const { models, items } = this.#table;
    const trials: CellTrials[] = [];
    this.#cells.forEach((cells, model) => {
      for (const [item, cell] of cells) {
        const scores = [...cell.values()].filter((score) => !Number.isNaN(score));
        const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length; // NaN of none
        this.#table.enter(model, item, mean, { row: 0, column: "score", duplicate: "item_id" });
        if (scores.length > 0) trials.push({ model: models[model]!, item: items[item]!, scores });
      }
    });
    return trials;
  }

  /** Trials without a score beside others of the same model and item that have one: a missing cell is seen, this isn't. */
  remarks(): string[] {
    let lacking = 0;
    this.#cells.forEach((cells) => {
      for (const cell of cells.values()) {
        const without = [...cell.values()].filter(Number.isNaN).length;
        if (without < cell.size) lacking += without;
      }
    });
    const have = lacking === 1 ? "has" : "have";
    return lacking === 0 ? [] : [`${counted(lacking, "trial")} ${have} no score: the item's mean is over the others`];
  }
}
