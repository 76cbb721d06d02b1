import type { ItemTable } from "./item-table.ts";
import { csvCell } from "./write-wide-csv.ts";

/**
 * Some rows of a table as CSV, in the order given: every column, every cell as it was read.
 * @param rows - indices of the table's rows
 */
export function* itemTableLines(
  { columns, rows }: ItemTable,
  chosen: Iterable<number>,
): Generator<string, void, undefined> {
  yield csvLine(columns);
  for (const row of chosen) yield csvLine(rows[row]!);
}

/** A line that a reader doesn't skip: one empty cell is written in quotes. */
function csvLine(cells: readonly string[]): string {
  return cells.length === 1 && cells[0] === "" ? '""\n' : `${cells.map(csvCell).join(",")}\n`;
}
