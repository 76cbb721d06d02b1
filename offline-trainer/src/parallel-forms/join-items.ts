import { AnchorEvalError } from "anchoreval/core";
import { DataIssues, firstFew, quoted } from "anchoreval/node";
import { columnOf } from "../ingest/item-table.ts";
import type { ItemPool } from "./item-pool.ts";

/** By what a pool's items are joined to responses. */
export interface JoinKeys {
  readonly column: string;
  /** The responses' id of every item, empty where it has none. */
  readonly values: readonly string[];
}

/** Items of a pool with the columns of a response matrix that they are joined to. */
export interface JoinedItems {
  /** Items that have responses, ascending. */
  readonly items: Uint32Array;
  /** Column of the matrix of each of those. */
  readonly columns: Uint32Array;
}

/**
 * Reads the keys of a pool's items.
 * @param join - column of the items that holds the responses' item ids; without it that of their own ids
 * @throws AnchorEvalError `invalid_option` where no column is named or found; `invalid_data` for a column that there
 * isn't, and for a key that two items have
 */
export function joinKeys({ table, rows, ids }: ItemPool, join?: string): JoinKeys {
  const column = join ?? ids?.column;
  if (column === undefined)
    throw new AnchorEvalError("invalid_option", "--join names the items' column that holds the responses' item ids");
  const at = columnOf(table, column, "--join");
  const issues = new DataIssues(table.name);
  const lines = new Map<string, number>();
  const values = Array.from(rows, (row) => {
    const key = table.rows[row]![at]!;
    const first = lines.get(key);
    const line = table.lines[row]!;
    if (first !== undefined)
      issues.add({ row: line, column }, "duplicate", `id ${quoted(key)} is there twice, first in row ${first}`);
    else if (key !== "") lines.set(key, line);
    return key;
  });
  issues.refuse();
  return { column, values };
}

/**
 * Joins a pool's items to the items of responses. Those without responses are left out: their difficulty isn't known.
 * @throws AnchorEvalError `invalid_data` where no item has responses
 */
export function joinItems(
  { table }: ItemPool,
  { column, values }: JoinKeys,
  responded: readonly string[],
): JoinedItems {
  const places = new Map(responded.map((id, index) => [id, index]));
  const items = Uint32Array.from(values.keys()).filter((item) => places.has(values[item]!));
  if (items.length === 0)
    new DataIssues(table.name).fail(
      { column },
      "no_responses",
      `no item has responses: here are ids such as ${firstFew(values, 3)}, in the responses ${firstFew(responded, 3)}; another column is named by --join`,
    );
  return { items, columns: items.map((item) => places.get(values[item]!)!) };
}
