import { AnchorEvalError } from "anchoreval/core";
import { DataIssues, firstFew, quoted } from "anchoreval/node";
import type { ItemGroups } from "../anchors/sublime/item-features.ts";
import type { ItemTable } from "../ingest/item-table.ts";
import type { ItemInfo } from "../matrix/response-matrix.ts";
import { itemGroups } from "./item-groups.ts";

const ID = "item_id";
const SUBSCENARIO = "subscenario";

/** Where a column of strata may stand. */
export interface StrataTables {
  /** The file of `--items`. */
  readonly items?: ItemTable;
  /** The file of `--item-features`. */
  readonly features?: ItemTable;
}

/**
 * The strata of a column, whatever its values: `subscenario` of the items as they were read, another one of the items'
 * file or of the features'.
 * @throws AnchorEvalError `invalid_option` for a column that is nowhere, or in both files; `invalid_data` naming file, row
 * and column for an item without a row or a value
 */
export function itemStrata(
  column: string,
  items: readonly ItemInfo[],
  { items: file, features }: StrataTables,
): ItemGroups {
  const tables = [file, features].filter((table) => table?.columns.includes(column));
  const read = column === SUBSCENARIO && items.some(({ subscenario }) => subscenario !== undefined);
  if (column === ID || (tables.length === 0 && !read)) {
    const known = [...new Set([...(file?.columns ?? []), ...(features?.columns ?? [])])].filter((name) => name !== ID);
    throw new AnchorEvalError(
      "invalid_option",
      `--strata ${quoted(column)}: there is no such column in --items or --item-features` +
        (known.length > 0 ? `; there are ${firstFew(known, 20)}` : ", and neither is given"),
    );
  }
  if (features?.columns.includes(column) && (file?.columns.includes(column) || read))
    throw new AnchorEvalError(
      "invalid_option",
      `--strata ${quoted(column)}: the column is in --items and in --item-features; rename one of them`,
    );
  if (read) return subscenarioStrata(items);
  return tableStrata(tables[0]!, column, items);
}

function subscenarioStrata(items: readonly ItemInfo[]): ItemGroups {
  const without = items.filter(({ subscenario }) => subscenario === undefined).map(({ item_id: id }) => id);
  if (without.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `items without a subscenario, which --strata asks for, ${without.length} of ${items.length}: ${firstFew(without)}`,
    );
  return itemGroups(
    SUBSCENARIO,
    items.map(({ subscenario }) => subscenario),
  );
}

function tableStrata(table: ItemTable, column: string, items: readonly ItemInfo[]): ItemGroups {
  const issues = new DataIssues(table.name);
  const [id, at] = [table.columns.indexOf(ID), table.columns.indexOf(column)];
  const rows = new Map(table.rows.map((cells, row) => [cells[id]!, row]));
  const without = items.filter(({ item_id: own }) => !rows.has(own)).map(({ item_id: own }) => own);
  if (without.length > 0)
    issues.fail({}, "missing_item", `items without a row, ${without.length} of ${items.length}: ${firstFew(without)}`);
  const values = items.map(({ item_id: own }) => {
    const row = rows.get(own)!;
    const value = table.rows[row]![at]!.trim();
    if (value === "")
      issues.add(
        { row: table.lines[row]!, column },
        "missing_field",
        `item ${quoted(own)} has no value, and --strata asks for one`,
      );
    return value;
  });
  issues.refuse();
  return itemGroups(column, values);
}
