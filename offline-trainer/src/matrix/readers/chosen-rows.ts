import { textLines } from "anchoreval/internal/node/read-file";
import type { LineBatch } from "anchoreval/internal/tables/chunk-lines";
import { checkWidth, type CsvRecord, csvRecords } from "anchoreval/internal/tables/csv-records";
import { DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { jsonRecords } from "anchoreval/internal/tables/json-records";
import { onlyPlaceOf } from "./long-table.ts";
import { isParquet, parquetRows } from "./parquet.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/**
 * The rows of a long table in CSV, JSON lines or Parquet, cut down to some columns. Of JSON lines the first line tells
 * which columns there are; a field that a later line lacks is undefined.
 * @returns rows in pieces, as they are read: the row's number (in text, the line) from 1, its values as chosen
 * @throws AnchorEvalError `invalid_data`: no text, a column twice, what is no Parquet; `not_found`
 */
export async function* chosenRows(
  path: string,
  choose: (names: readonly string[]) => readonly string[],
  issues: DataIssues,
): AsyncGenerator<readonly { row: number; values: readonly unknown[] }[], void> {
  let columns: readonly string[] | undefined;
  if (isParquet(path)) {
    let row = 0;
    for await (const fields of parquetRows(path, (names) => [...new Set((columns = choose(names)))]))
      yield [{ row: ++row, values: columns!.map((name) => lookUp(fields, name)) }];
    return;
  }
  const { json, lines } = await openTable(path);
  if (json) {
    for await (const records of jsonRecords(lines, issues)) {
      const [first] = records;
      if (first) columns ??= choose(Object.keys(first.fields));
      yield records.map(({ row, fields }) => ({ row, values: columns!.map((name) => lookUp(fields, name)) }));
    }
    return;
  }
  let header: CsvRecord | undefined;
  let places: readonly number[] = [];
  for await (const records of csvRecords(lines, issues)) {
    if (header === undefined && records[0]) {
      header = records.shift()!;
      places = choose(header.cells).map((name) => onlyPlaceOf(name, header!, issues));
    }
    yield records
      .filter((record) => checkWidth(record, header!.cells, issues))
      .map(({ row, cells }) => ({ row, values: places.map((at) => cells[at]) }));
  }
}

/** Refuses a column that isn't there. @throws AnchorEvalError `invalid_data` with those that are */
export function checkColumn(name: string, what: string, names: readonly string[], issues: DataIssues): void {
  if (!names.includes(name))
    issues.fail(
      {},
      "missing_column",
      `there is no column ${quoted(name)} (${what}); the columns are ${firstFew(names, 20)}`,
    );
}

/**
 * Opens a file of CSV or, where `json`, of JSON lines, plain or gzip. The ending .csv or .jsonl decides, else the first line does.
 * @throws AnchorEvalError `invalid_data` for a file without any text
 */
export async function openTable(path: string): Promise<{ json: boolean; lines: AsyncIterable<LineBatch> }> {
  const batches = textLines(path);
  const head: LineBatch[] = [];
  let first: string | undefined;
  while (first === undefined) {
    const next = await batches.next();
    if (next.done === true) new DataIssues(path).fail({}, "empty", "the file is empty");
    head.push(next.value as LineBatch);
    first = head.at(-1)!.lines.find((line) => line.trim() !== "");
  }
  const json = isNamedJson(path) || (!/\.csv(\.gz)?$/i.test(path) && /^\s*[{[]/.test(first));
  return { json, lines: resumed(head, batches) };
}

async function* resumed(head: readonly LineBatch[], rest: AsyncIterable<LineBatch>): AsyncGenerator<LineBatch, void> {
  yield* head;
  yield* rest;
}

/** Whether a file's ending says that its lines are JSON. */
export function isNamedJson(path: string): boolean {
  return /\.(jsonl|ndjson|json)(\.gz)?$/i.test(path);
}
