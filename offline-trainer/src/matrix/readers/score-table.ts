import { idProblem } from "anchoreval/internal/core/bundle/names";
import { type DataIssues, quoted } from "anchoreval/internal/tables/data-issues";
import type { ItemInfo, ResponseMatrix } from "../response-matrix.ts";

/** Cells that a table may have: dense storage takes four bytes for each while it is read. */
const MOST_CELLS = 2 ** 30;

/**
 * Scores as they are read, a row a model: columns in the order in which items were first named. NaN = not named,
 * −1 = named without a score. A row may be shorter than the number of items: the rest was not named.
 */
export class ScoreTable {
  readonly models: string[] = [];
  /** The line on which each model was first named. */
  readonly modelRows: number[] = [];
  readonly items: string[] = [];
  readonly rows: Float32Array[] = [];
  readonly #issues: DataIssues;
  readonly #models = new Map<string, number>();
  readonly #items = new Map<string, number>();

  constructor(issues: DataIssues) {
    this.#issues = issues;
  }

  model(name: string): number | undefined {
    return this.#models.get(name);
  }

  item(id: string): number | undefined {
    return this.#items.get(id);
  }

  /** Adds a model with its scores so far. Its name is checked, and the issue noted. */
  addModel(name: string, row: number, column: string, scores: Float32Array): number {
    const problem = idProblem(name);
    if (problem) this.#issues.add({ row, column }, "invalid_id", `${problem}, got ${quoted(name)}`);
    const model = this.rows.push(scores) - 1;
    const own = ownCopy(name);
    this.models.push(own);
    this.modelRows.push(row);
    this.#models.set(own, model);
    this.#checkSize(row);
    return model;
  }

  /** Adds an item. Its id is checked, and the issue noted. */
  addItem(id: string, row: number, column: string | number): number {
    const problem = idProblem(id);
    if (problem) this.#issues.add({ row, column }, "invalid_id", `${problem}, got ${quoted(id)}`);
    const own = ownCopy(id);
    const item = this.items.push(own) - 1;
    this.#items.set(own, item);
    this.#checkSize(row);
    return item;
  }

  /** Puts down one score, NaN for none; false where the pair has been named before. */
  put(model: number, item: number, score: number): boolean {
    let scores = this.rows[model]!;
    if (item >= scores.length) {
      scores = new Float32Array(Math.max(64, 2 ** Math.ceil(Math.log2(item + 1)))).fill(NaN);
      scores.set(this.rows[model]!);
      this.rows[model] = scores;
    }
    if (!Number.isNaN(scores[item])) return false;
    scores[item] = Number.isNaN(score) ? -1 : score;
    return true;
  }

  #checkSize(row: number): void {
    if (this.models.length * this.items.length > MOST_CELLS)
      this.#issues.fail(
        { row },
        "too_large",
        `${this.models.length} models × ${this.items.length} items are more than the ${MOST_CELLS} scores that a table may have`,
      );
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A string of its own: a part of a line would keep the whole chunk of the file in memory. */
export function ownCopy(text: string): string {
  return decoder.decode(encoder.encode(text));
}

/** Item parameters say nothing below this many models. */
export const FEWEST_MODELS = 5;

/**
 * The rules that hold for a table as a whole: models enough, and no model and no item without any score.
 * @throws AnchorEvalError `invalid_data`
 */
export function checkTable(table: ScoreTable, issues: DataIssues, fewest = FEWEST_MODELS): void {
  const { models, items, rows } = table;
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
      issues.add(
        { row: table.modelRows[m]! },
        "model_without_scores",
        `model ${quoted(models[m]!)} has no score at all`,
      );
  });
  perItem.forEach((scores, i) => {
    if (scores === 0) issues.add({ column: items[i]! }, "item_without_scores", "the item has no score at all");
  });
  issues.refuse();
}

/**
 * The matrix of a table with its items in this order, straight into the tightest storage. The table's rows are given
 * up on the way, so that large ones are never held twice.
 */
export function assembleMatrix(table: ScoreTable, items: readonly ItemInfo[]): ResponseMatrix {
  const { models, rows } = table;
  const { binary, missing } = kindOfScores(table);
  const count = models.length * items.length;
  const scores = binary ? new Uint8Array(count) : new Float32Array(count);
  const observed = missing ? new Uint8Array(count) : null;
  const columns = Uint32Array.from(items, (item) => table.item(item.item_id)!);
  let at = 0;
  for (let m = 0; m < rows.length; m++) {
    const row = rows[m]!;
    for (let i = 0; i < columns.length; i++, at++) {
      const column = columns[i]!;
      const score = column < row.length ? row[column]! : NaN;
      if (score >= 0) {
        scores[at] = score;
        if (observed) observed[at] = 1;
      }
    }
    rows[m] = new Float32Array(0);
  }
  return { subjects: models, items, scores, observed };
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
