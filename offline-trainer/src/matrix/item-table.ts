import { checkWidth, type CsvRecord, csvRecords } from "anchoreval/internal/tables/csv-records";
import { DataIssues, quoted } from "anchoreval/internal/tables/data-issues";
import { type JsonRecord, jsonRecords } from "anchoreval/internal/tables/json-records";
import { checkColumn, openTable } from "./readers/chosen-rows.ts";
import { csvCell } from "./write-tables.ts";

/** A table of items with whatever columns it has, all as text: a row an item. */
export interface ItemTable {
  /** The file, as messages name it. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Cells of every row, as many as there are columns. */
  readonly rows: readonly (readonly string[])[];
  /** The line on which each row begins, counted from 1. */
  readonly lines: readonly number[];
}

/**
 * Reads a table of items from CSV with a header or JSON lines, plain or gzip, in UTF-8 with a byte order mark or without.
 * Of JSON lines the columns stand in order of first appearance; numbers, true and false are written as JSON writes them,
 * lists and objects as JSON text, null and what is absent is an empty cell.
 * @throws AnchorEvalError `not_found`; `invalid_data` naming file, row, column and rule: no text, no rows, a column
 * without a name, two of one name, a row of another width
 */
export async function readItemTable(path: string): Promise<ItemTable> {
  const { json, lines } = await openTable(path);
  const issues = new DataIssues(path, json ? "lines" : "table");
  const table = json
    ? jsonTable(path, await all(jsonRecords(lines, issues)), issues)
    : csvTable(path, await all(csvRecords(lines, issues)), issues);
  issues.refuse();
  if (table.rows.length === 0) issues.fail({}, "empty", "the file has no rows");
  return table;
}

/**
 * The place of a column.
 * @param option - what names it, for the message, for example `--by`
 * @throws AnchorEvalError `invalid_data` with the columns that there are
 */
export function columnOf(table: ItemTable, column: string, option: string): number {
  checkColumn(column, option, table.columns, new DataIssues(table.name));
  return table.columns.indexOf(column);
}

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const out: T[] = [];
  for await (const batch of batches) for (const record of batch) out.push(record);
  return out;
}

function csvTable(name: string, [header, ...records]: CsvRecord[], issues: DataIssues): ItemTable {
  const columns = header?.cells ?? [];
  columns.forEach((column, at) => {
    const place = { row: header!.row, column: at + 1 };
    const first = columns.indexOf(column);
    if (column.trim() === "") issues.add(place, "missing_name", "the column has no name");
    else if (first < at) issues.addTwice(place, `column ${quoted(column)}`, `column ${first + 1}`);
  });
  issues.refuse();
  const good = records.filter((record) => checkWidth(record, columns, issues));
  return { name, columns, rows: good.map(({ cells }) => cells), lines: good.map(({ row }) => row) };
}

function jsonTable(name: string, records: readonly JsonRecord[], issues: DataIssues): ItemTable {
  const places = new Map<string, number>();
  for (const { row, fields } of records)
    for (const field of Object.keys(fields))
      if (!places.has(field)) {
        if (field.trim() === "") issues.add({ row }, "missing_name", "a field has no name");
        places.set(field, places.size);
      }
  const rows = records.map(({ row, fields }) => {
    const cells = new Array<string>(places.size).fill("");
    for (const [field, value] of Object.entries(fields)) {
      const message = "the number has more digits than can be kept: write it as text, in quotes";
      if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER)
        issues.add({ row, column: field }, "inexact_number", message);
      cells[places.get(field)!] = cellText(value);
    }
    return cells;
  });
  return { name, columns: [...places.keys()], rows, lines: records.map(({ row }) => row) };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Some rows of a table as CSV, in the order given: every column, every cell as it was read. */
export function* itemTableLines({ columns, rows }: ItemTable, chosen: Iterable<number>): Generator<string, void> {
  yield csvLine(columns);
  for (const row of chosen) yield csvLine(rows[row]!);
}

/** A line that a reader doesn't skip: one empty cell is written in quotes. */
function csvLine(cells: readonly string[]): string {
  return cells.length === 1 && cells[0] === "" ? '""\n' : `${cells.map(csvCell).join(",")}\n`;
}
