import { idProblem } from "anchoreval/bundle";
import { quoted, type DataIssues } from "anchoreval/node";
import { ownCopy } from "./own-copy.ts";

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
