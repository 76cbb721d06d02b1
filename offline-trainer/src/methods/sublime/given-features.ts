import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import type { AnchorMethod } from "../../anchors/anchor-method.ts";
import { embeddedRows, type Embeddings } from "../../matrix/embeddings-file.ts";
import { columnOf, decimalNumber, type ItemTable } from "../../matrix/item-table.ts";
import type { ItemInfo, ResponseMatrix } from "../../matrix/response-matrix.ts";
import { sublimeAnchors, type SublimeKnowledge } from "./anchors.ts";
import {
  describeItems,
  type FeatureColumn,
  type ItemFeatures,
  type ItemGroups,
  itemGroups,
  selectFeatures,
} from "./item-features.ts";

/**
 * {@link sublimeAnchors} with more item features (columns of a file, embeddings, strata) or named anchor models.
 * @throws AnchorEvalError `invalid_option` for an anchor model that isn't there, and as {@link itemFeatures} does
 */
export function sublimeAnchorsOf(
  { items, subjects }: Pick<ResponseMatrix, "items" | "subjects">,
  { anchorModels = [], ...given }: Omit<ItemFeaturesOptions, "random"> & { readonly anchorModels?: readonly string[] },
): AnchorMethod {
  const unknown = anchorModels.filter((name) => !subjects.includes(name));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "invalid_option",
      `the responses have no model ${unknown.slice(0, 5).join(", ")}, named as an anchor model`,
    );
  const features = itemFeatures(items, { ...given, random: createRandom("item features") });
  const place = new Map(items.map(({ item_id: id }, i) => [id, i]));
  return {
    ...sublimeAnchors,
    know: (own): SublimeKnowledge => ({
      features: selectFeatures(
        features,
        own.map(({ item_id: id }) => place.get(id)!),
      ),
      anchorModels,
    }),
  };
}

/** Sources of item features. */
export interface ItemFeaturesOptions {
  /** Columns of numbers, by item. */
  readonly table?: ItemTable;
  readonly embeddings?: Embeddings;
  /** Groups whose proportions every subset keeps. @default none */
  readonly strata?: ItemGroups;
  readonly random: RandomSource;
}

/**
 * Item features that don't come from answers: the columns of a table, and points in a space of the embeddings or, where
 * every item has a text, of TF-IDF.
 * @throws AnchorEvalError `invalid_data` for items without an embedding, or a table without a number for each of them
 */
export function itemFeatures(
  items: readonly ItemInfo[],
  { table, embeddings, strata, random }: ItemFeaturesOptions,
): ItemFeatures {
  return describeItems(items, {
    ...(table && {
      columns: givenColumns(
        table,
        items.map(({ item_id: id }) => id),
        strata?.name,
      ),
    }),
    ...(embeddings && { vectorsOf: (ids) => embeddedRows(embeddings, ids) }),
    ...(strata && { strata }),
    random,
  });
}

const ID = "item_id";

/**
 * Every column of a table but `item_id` and that of the strata as a number for every item, in the order of `ids`; an empty cell isn't known.
 * Rows of items that aren't asked for are left aside.
 * @throws AnchorEvalError `invalid_data` naming the file and row, column and rule: no `item_id`, no other column, an item
 * twice, a cell that is no number, items without a row
 */
function givenColumns(table: ItemTable, ids: readonly string[], strata?: string): FeatureColumn[] {
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
          `a feature must be a number, got ${quoted(text)}; an empty cell means that it isn't known`,
        );
      return value;
    });
    return { name, values };
  });
  issues.refuse();
  return columns;
}

const SUBSCENARIO = "subscenario";

/** Where a column of strata may stand. */
interface StrataTables {
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
