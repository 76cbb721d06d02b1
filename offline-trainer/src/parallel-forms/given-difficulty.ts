import { DataIssues, quoted } from "anchoreval/node";
import { decimalNumber } from "../ingest/decimal-number.ts";
import { columnOf } from "../ingest/item-table.ts";
import type { PoolDifficulty } from "./difficulty.ts";
import type { ItemPool } from "./item-pool.ts";

/**
 * Difficulties from a column of the items, on whatever scale; an empty cell is an item of unknown difficulty.
 * @throws AnchorEvalError `invalid_data` for a cell that is no number, or where no item has one
 */
export function givenDifficulty(pool: ItemPool, column: string): PoolDifficulty {
  const { table, rows } = pool;
  const issues = new DataIssues(table.name);
  const at = columnOf(table, column, "--difficulty");
  const values = Float64Array.from(rows, (row) => {
    const text = table.rows[row]![at]!.trim();
    if (text === "") return NaN;
    const value = decimalNumber(text);
    if (Number.isNaN(value))
      issues.add(
        { row: table.lines[row]!, column },
        "not_a_number",
        `a difficulty is a number, got ${quoted(text)}; an empty cell means that it isn't known`,
      );
    return value;
  });
  issues.refuse();
  if (values.every(Number.isNaN)) issues.fail({ column }, "empty", "no item has a difficulty");
  return { source: { kind: "column", column }, values, answered: null };
}
