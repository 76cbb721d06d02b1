import { invalidOption } from "anchoreval/internal/core/errors";
import { DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { columnOf, type ItemTable } from "../../../offline-trainer/src/matrix/item-table.ts";
import type { ItemInfo } from "../../../offline-trainer/src/matrix/response-matrix.ts";

/** The items that forms are drawn from: those of a table whose subject isn't excluded, in the table's order. */
export type ItemPool = ReturnType<typeof itemPool>;

interface ItemPoolOptions {
  /** Column of the subjects. @default none: all items are of one subject */
  readonly by?: string;
  /** Column of the ids. @default `item_id` or `id`, in any case, where there is one */
  readonly id?: string;
  /** Subjects to leave out. A text with commas that is no subject is taken as several. */
  readonly exclude?: readonly string[];
}

/** The subject of all items where the table isn't divided by subjects. */
const EVERYTHING = "all";
const ID_COLUMNS = ["item_id", "id"];

/**
 * Selects the pool from a table.
 * @throws AnchorEvalError `invalid_data` for a missing column, an item without subject or id, an id that is there twice;
 * `invalid_option` for an excluded subject that there isn't
 */
export function itemPool(table: ItemTable, { by, id, exclude = [] }: ItemPoolOptions) {
  const issues = new DataIssues(table.name);
  const idColumn =
    id ?? ID_COLUMNS.flatMap((name) => table.columns.filter((column) => column.toLowerCase() === name))[0];
  const ids = idColumn === undefined ? null : columnOf(table, idColumn, "`id`");
  if (ids !== null) checkIds(table, ids, issues);

  const names = subjectNames(table, by, issues);
  issues.refuse();
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const left = excludedSubjects(exclude, counts, by);
  const rows = Uint32Array.from(names.flatMap((name, row) => (left.has(name) ? [] : [row])));
  if (rows.length === 0) throw invalidOption("`exclude` leaves no item");
  const subjects = [...counts.keys()].filter((name) => !left.has(name));
  const numbers = new Map(subjects.map((name, number) => [name, number]));
  return {
    table,
    /** Row of the table of each item. */
    rows,
    by: by ?? null,
    /** In order of their first item. */
    subjects,
    /** Subject of each item, an index into `subjects`. */
    subjectOf: Int32Array.from(rows, (row) => numbers.get(names[row]!)!),
    excluded: [...left].map((subject) => ({ subject, items: counts.get(subject)! })),
    /** Column of the items' ids, and the id of each item; null where no column has ids. */
    ids: ids === null ? null : { column: idColumn!, values: Array.from(rows, (row) => table.rows[row]![ids]!) },
  };
}

/** Checks that the pool can fill the forms. @throws AnchorEvalError `invalid_option` */
export function checkFormSizes({ rows }: ItemPool, size: number, count: number): void {
  if (size * count <= rows.length) return;
  const most = Math.floor(rows.length / count);
  throw invalidOption(
    `${count} forms of ${size} items take ${size * count}, and there are ${rows.length}: ` +
      (most === 0 ? `\`count\` is at most ${rows.length}` : `\`size\` is at most ${most}`),
  );
}

function subjectNames(table: ItemTable, by: string | undefined, issues: DataIssues): string[] {
  if (by === undefined) return table.rows.map(() => EVERYTHING);
  const column = columnOf(table, by, "`by`");
  return table.rows.map((cells, row) => {
    const name = cells[column]!;
    if (name.trim() === "")
      issues.add({ row: table.lines[row]!, column: by }, "missing_field", "the item has no subject");
    return name;
  });
}

function checkIds(table: ItemTable, column: number, issues: DataIssues): void {
  const seen = new Map<string, number>();
  table.rows.forEach((cells, row) => {
    const id = cells[column]!;
    const place = { row: table.lines[row]!, column: table.columns[column]! };
    const first = seen.get(id);
    if (id.trim() === "") issues.add(place, "missing_field", "the item has no id");
    else if (first !== undefined)
      issues.add(
        place,
        "duplicate",
        `id ${quoted(id)} is there twice, first in row ${first}; another column of ids can be named with \`id\``,
      );
    else seen.set(id, place.row);
  });
}

function excludedSubjects(
  exclude: readonly string[],
  counts: ReadonlyMap<string, number>,
  by: string | undefined,
): Set<string> {
  if (exclude.length > 0 && by === undefined)
    throw invalidOption("`exclude` names subjects: name their column with `by`");
  const names = exclude.flatMap((text) => (counts.has(text) ? [text] : text.split(",").map((name) => name.trim())));
  for (const name of names)
    if (!counts.has(name))
      throw invalidOption(
        `\`exclude\` ${quoted(name)}: there is no such subject in column ${quoted(by!)}; there are ${firstFew([...counts.keys()], 8)}`,
      );
  return new Set(names);
}

/** Keys that join a pool's items to responses. */
export interface JoinKeys {
  readonly column: string;
  /** The responses' id of every item, empty where it has none. */
  readonly values: readonly string[];
}

/**
 * Reads the keys of a pool's items.
 * @param join - column of the items that holds the responses' item ids; without it that of their own ids
 * @throws AnchorEvalError `invalid_option` where no column is named or found; `invalid_data` for a column that there
 * isn't, and for a key that two items have
 */
export function joinKeys({ table, rows, ids }: ItemPool, join?: string): JoinKeys {
  const column = join ?? ids?.column;
  if (column === undefined) throw invalidOption("`join` must name the items' column with the responses' item ids");
  const at = columnOf(table, column, "`join`");
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
 * @returns the items that have responses, ascending, and the column of the responses of each
 * @throws AnchorEvalError `invalid_data` where no item has responses
 */
export function joinItems(
  { table }: ItemPool,
  { column, values }: JoinKeys,
  responded: readonly Pick<ItemInfo, "item_id">[],
) {
  const ids = responded.map(({ item_id: id }) => id);
  const places = new Map(ids.map((id, index) => [id, index]));
  const items = Uint32Array.from(values.keys()).filter((item) => places.has(values[item]!));
  if (items.length === 0)
    new DataIssues(table.name).fail(
      { column },
      "no_responses",
      `no item has responses: here are ids such as ${firstFew(values, 3)}, in the responses ${firstFew(ids, 3)}; another column can be named with \`join\``,
    );
  return { items, columns: items.map((item) => places.get(values[item]!)!) };
}
