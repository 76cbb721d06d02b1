import type { ItemInfo, ResponseMatrix } from "../matrix/response-matrix.ts";
import type { ScoreTable } from "./score-table.ts";

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
