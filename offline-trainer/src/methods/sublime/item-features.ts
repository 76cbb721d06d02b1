import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { decimalNumber, isMissingWord } from "anchoreval/internal/tables/score-reader";
import { columnOf, type ItemTable } from "../../matrix/item-table.ts";
import type { ItemInfo } from "../../matrix/response-matrix.ts";
import { embeddedRows, type Embeddings } from "../../matrix/embeddings-file.ts";
import { ownPlaces, principalAxes } from "../../numeric/principal-axes.ts";
import { textFeatures } from "../../numeric/text-features.ts";
import type { Points } from "../kmeans/clusters.ts";

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

export function selectFeatures(
  { columns, points, subscenarios, strata }: ItemFeatures,
  items: readonly number[],
): ItemFeatures {
  const groupsOf = (groups: ItemGroups | null): ItemGroups | null =>
    groups && { name: groups.name, labels: Int32Array.from(items, (i) => groups.labels[i]!) };
  const pointsOf = ({ dims, values }: Points): Points => {
    const own = new Float64Array(items.length * dims);
    items.forEach((i, k) => own.set(values.subarray(i * dims, (i + 1) * dims), k * dims));
    return { count: items.length, dims, values: own };
  };
  return {
    columns: columns.map(({ name, values }) => ({ name, values: Float64Array.from(items, (i) => values[i]!) })),
    points: points && pointsOf(points),
    subscenarios: groupsOf(subscenarios),
    strata: groupsOf(strata),
  };
}

export interface ItemFeaturesOptions {
  /** Columns of numbers, by item. */
  readonly table?: ItemTable;
  /** @default TF-IDF, where every item has a text */
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
  const columns = table ? tableColumns(table, items, strata?.name) : [];
  const subscenarios = items.map(({ subscenario }) => subscenario);
  const spaced = embeddings !== undefined || items.every(({ text }) => text?.trim());
  return {
    columns,
    points: spaced ? itemPoints(items, embeddings, random.fork("points")) : null,
    subscenarios: subscenarios.some((name) => name !== undefined) ? itemGroups("subscenario", subscenarios) : null,
    strata: strata ?? null,
  };
}

export const ID = "item_id";

/**
 * Every column of a table but `item_id` and that of the strata as a number for every item; an empty cell isn't known. Rows of
 * other items are left aside.
 * @throws AnchorEvalError `invalid_data` naming the file and row, column and rule: no `item_id`, no other column, an item
 * twice, a cell that is no number, items without a row
 */
function tableColumns(table: ItemTable, items: readonly ItemInfo[], strata: string | undefined): FeatureColumn[] {
  const issues = new DataIssues(table.name);
  const at = columnOf(table, ID, "--item-features");
  const known = new Set<string>();
  table.rows.forEach((cells, row) => {
    const id = cells[at]!;
    if (known.has(id))
      issues.add({ row: table.lines[row]!, column: ID }, "duplicate", `item ${quoted(id)} is there twice`);
    known.add(id);
  });
  const names = table.columns.filter((name) => name !== ID && name !== strata);
  if (names.length === 0 && (strata === undefined || !table.columns.includes(strata)))
    issues.fail({}, "missing_column", "there is no column of features beside item_id");
  const cellsOf = itemCells(table, items, issues);
  const columns = names.map((name) => {
    const values = Float64Array.from(cellsOf(name), ({ text, place }) => {
      const value = decimalNumber(text);
      const fault = `a feature must be a number, got ${quoted(text)}; an empty cell means that it isn't known`;
      if (text !== "" && !isMissingWord(text) && Number.isNaN(value)) issues.add(place, "not_a_number", fault);
      return value;
    });
    return { name, values };
  });
  issues.refuse();
  return columns;
}

/** The cells of any column, in the order of the items. @throws AnchorEvalError `invalid_data` for items without a row */
export function itemCells(table: ItemTable, items: readonly ItemInfo[], issues: DataIssues) {
  const at = table.columns.indexOf(ID);
  const rows = new Map(table.rows.map((cells, row) => [cells[at]!, row]));
  const ids = items.map(({ item_id: id }) => id);
  const without = ids.filter((id) => !rows.has(id));
  if (without.length > 0)
    issues.fail({}, "missing_item", `items without a row, ${without.length} of ${ids.length}: ${firstFew(without)}`);
  return (column: string) => {
    const cell = table.columns.indexOf(column);
    return ids.map((id) => {
      const row = rows.get(id)!;
      return { id, text: table.rows[row]![cell]!.trim(), place: { row: table.lines[row]!, column } };
    });
  };
}

/** Groups items by name, numbered by first appearance; items without a name are one group. */
export function itemGroups(name: string, values: readonly (string | undefined)[]): ItemGroups {
  const numbers = new Map<string | undefined, number>();
  const labels = Int32Array.from(values, (value) => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  });
  return { name, labels };
}

const AXES = 16;

/**
 * Coordinates of items on their scenario's principal axes, of their embeddings or else of TF-IDF of words and characters;
 * 0 on axes beyond the scenario's rank.
 */
function itemPoints(items: readonly ItemInfo[], embeddings: Embeddings | undefined, random: RandomSource): Points {
  const values = new Float64Array(items.length * AXES);
  for (const scenario of new Set(items.map((item) => item.scenario))) {
    const members = [...items.keys()].filter((i) => items[i]!.scenario === scenario);
    const ids = members.map((i) => items[i]!.item_id);
    const texts = members.map((i) => items[i]!.text!);
    const rows = embeddings ? embeddedRows(embeddings, ids) : textFeatures(texts, []).train;
    const axes = principalAxes(rows, AXES, random.fork(scenario));
    const places = ownPlaces(axes);
    members.forEach((i, at) => values.set(places.subarray(at * axes.rank, (at + 1) * axes.rank), i * AXES));
  }
  return { count: items.length, dims: AXES, values };
}
