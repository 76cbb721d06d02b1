import { jsonKind, quoted } from "anchoreval/internal/tables/data-issues";
import { counted } from "anchoreval/internal/words/figures";
import type { CellTrials, ScorePlace, ScoreTable } from "./score-table.ts";

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
