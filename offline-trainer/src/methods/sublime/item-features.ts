import { AnchorEvalError, type RandomSource } from "anchoreval/core";
import { DataIssues, firstFew, quoted } from "anchoreval/node";
import { embeddedRows, type Embeddings } from "../../ingest/embeddings-file.ts";
import { decimalNumber } from "../../ingest/decimal-number.ts";
import { columnOf, type ItemTable } from "../../ingest/item-table.ts";
import type { ItemInfo } from "../../matrix/response-matrix.ts";
import { textFeatures } from "../../numeric/text-features.ts";
import { principalAxes } from "../../numeric/principal-axes.ts";
import type { SparseRows } from "../../numeric/sparse-rows.ts";
import type { Points } from "../kmeans/clusters.ts";

/** One number for every item. */
export interface FeatureColumn {
  readonly name: string;
  /** In the order of the items; NaN where unknown. */
  readonly values: Float64Array;
}

/** A partition of the items: the group of each, counted from 0. */
export interface ItemGroups {
  readonly name: string;
  readonly labels: Int32Array;
}

/** Item features that don't come from answers: from texts, embeddings or a file. */
export interface ItemFeatures {
  readonly columns: readonly FeatureColumn[];
  /** Items as points, similar ones near each other; null without texts and embeddings. */
  readonly points: Points | null;
  /** Subscenarios; null where there are none. */
  readonly subscenarios: ItemGroups | null;
  /** Groups whose proportions every subset keeps; null where none are asked for. */
  readonly strata: ItemGroups | null;
}

/** The features of some of the items, in the order given. */
export function selectFeatures(
  { columns, points, subscenarios, strata }: ItemFeatures,
  items: ArrayLike<number>,
): ItemFeatures {
  const { length } = items;
  const groupsOf = (groups: ItemGroups | null): ItemGroups | null =>
    groups && { name: groups.name, labels: Int32Array.from({ length }, (_, i) => groups.labels[items[i]!]!) };
  return {
    columns: columns.map(({ name, values }) => ({
      name,
      values: Float64Array.from({ length }, (_, i) => values[items[i]!]!),
    })),
    points: points && {
      count: length,
      dims: points.dims,
      values: Float64Array.from(
        { length: length * points.dims },
        (_, at) => points.values[items[Math.floor(at / points.dims)]! * points.dims + (at % points.dims)]!,
      ),
    },
    subscenarios: groupsOf(subscenarios),
    strata: groupsOf(strata),
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
  const ids = items.map(({ item_id: id }) => id);
  const subscenarios = items.map(({ subscenario }) => subscenario);
  const spaced = embeddings !== undefined || items.every(({ text }) => text?.trim());
  return {
    columns: table ? givenColumns(table, ids, strata?.name) : [],
    points: spaced ? itemPoints(items, embeddings ?? null, random.fork("points")) : null,
    subscenarios: subscenarios.some((name) => name !== undefined) ? itemGroups("subscenario", subscenarios) : null,
    strata: strata ?? null,
  };
}

/** Groups items by name, numbered by first appearance; items without a name are one group. */
function itemGroups(name: string, values: readonly (string | undefined)[]): ItemGroups {
  const numbers = new Map<string | undefined, number>();
  const labels = Int32Array.from(values, (value) => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  });
  return { name, labels };
}

/** Axes of a space of items. */
const AXES = 16;

/**
 * Coordinates of items on their scenario's principal axes, of their embeddings or else of TF-IDF of words and characters;
 * 0 on axes beyond the scenario's rank.
 */
function itemPoints(items: readonly ItemInfo[], embeddings: Embeddings | null, random: RandomSource): Points {
  const values = new Float64Array(items.length * AXES);
  const scenarios = new Map<string, number[]>();
  items.forEach(({ scenario }, i) => {
    const members = scenarios.get(scenario);
    if (members) members.push(i);
    else scenarios.set(scenario, [i]);
  });
  for (const [scenario, members] of scenarios) {
    const own = members.map((i) => items[i]!);
    const { rank, left, singular } = principalAxes(rowsOf(own, embeddings), AXES, random.fork(scenario));
    members.forEach((i, at) => {
      for (let k = 0; k < rank; k++) values[i * AXES + k] = left[at * rank + k]! * singular[k]!;
    });
  }
  return { count: items.length, dims: AXES, values };
}

function rowsOf(items: readonly ItemInfo[], embeddings: Embeddings | null): SparseRows {
  if (embeddings)
    return embeddedRows(
      embeddings,
      items.map(({ item_id: id }) => id),
    );
  const texts = items.map(({ text }) => text!);
  return textFeatures(texts, []).train;
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
          `a feature is a number, got ${quoted(text)}; an empty cell means that it isn't known`,
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
