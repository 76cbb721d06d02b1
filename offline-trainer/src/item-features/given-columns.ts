import { DataIssues, firstFew, quoted } from "anchoreval/node";
import type { FeatureColumn } from "../anchors/sublime/item-features.ts";
import { decimalNumber } from "../ingest/decimal-number.ts";
import { columnOf, type ItemTable } from "../ingest/item-table.ts";

const ID = "item_id";

/**
 * Every column of a table but `item_id` and that of the strata as a number for every item, in the order of `ids`; an empty cell isn't known.
 * Rows of items that aren't asked for are left aside.
 * @throws AnchorEvalError `invalid_data` naming the file and row, column and rule: no `item_id`, no other column, an item
 * twice, a cell that is no number, items without a row
 */
export function givenColumns(table: ItemTable, ids: readonly string[], strata?: string): FeatureColumn[] {
  const issues = new DataIssues(table.name);
  const at = columnOf(table, ID, "--item-features");
  const rows = new Map<string, number>();
  table.rows.forEach((cells, row) => {
    const id = cells[at]!;
    if (rows.has(id))
      issues.add({ row: table.lines[row]!, column: ID }, "duplicate", `item ${quoted(id)} is there twice`);
    else rows.set(id, row);
  });
  const names = table.columns.filter((name) => name !== ID && name !== strata);
  if (names.length === 0 && (strata === undefined || !table.columns.includes(strata)))
    issues.fail({}, "missing_column", "there is no column of features beside item_id");
  const without = ids.filter((id) => !rows.has(id));
  if (without.length > 0)
    issues.fail({}, "missing_item", `items without a row, ${without.length} of ${ids.length}: ${firstFew(without)}`);
  const columns = names.map((name) => {
    const column = table.columns.indexOf(name);
    const values = Float64Array.from(ids, (id) => {
      const row = rows.get(id)!;
      const text = table.rows[row]![column]!.trim();
      const value = decimalNumber(text);
      if (text !== "" && Number.isNaN(value))
        issues.add(
          { row: table.lines[row]!, column: name },
          "not_a_number",
          `a feature is a number, got ${quoted(text)}; an empty cell means that it isn't known`,
        );
      return value;
    });
    return { name, values };
  });
  issues.refuse();
  return columns;
}
