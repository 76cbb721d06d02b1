import type { LineBatch } from "./chunk-lines.ts";
import type { DataIssues } from "./data-issues.ts";

/** Characters that a quoted cell over several lines may have, so that a forgotten quote is found where it is. */
const LONGEST_QUOTED = 1 << 20;

/** A record of a CSV. */
export interface CsvRecord {
  /** The line on which the record begins, counted from 1. */
  readonly row: number;
  readonly cells: readonly string[];
}

/** Characters that may separate columns. */
const SEPARATORS = [",", ";", "\t"] as const;
type Separator = (typeof SEPARATORS)[number];
const SEPARATOR_WORDS: Readonly<Record<Separator, string>> = { ",": "commas", ";": "semicolons", "\t": "tabs" };

/**
 * The records of lines by RFC 4180: quoted cells, doubled quotes, line ends in quoted cells. Columns are separated by
 * commas, semicolons or tabs, as the first two records tell, or a first line `sep=;` of Excel's. Wholly empty lines are
 * skipped, and so are columns at the end that have neither a name nor a cell. Widths are not checked.
 * @throws AnchorEvalError `invalid_data` for a quote where none can stand, or one that is never closed; where two
 * separators may be meant
 */
export async function* csvRecords(
  batches: AsyncIterable<LineBatch> | Iterable<LineBatch>,
  issues: DataIssues,
): AsyncGenerator<CsvRecord[], void, undefined> {
  let separator: Separator | undefined;
  let columns: number | undefined;
  let open: { row: number; text: string } | null = null;
  for await (const { first, lines } of twoRecordsFirst(batches)) {
    const named: Separator | undefined = separator === undefined ? namedSeparator(lines[0]) : undefined;
    separator ??= named ?? separatorOf(lines, first, issues);
    const records: CsvRecord[] = [];
    for (let i = named === undefined ? 0 : 1; i < lines.length; i++) {
      const line = lines[i]!;
      const row: number = open ? open.row : first + i;
      let text = line;
      if (open) {
        text = `${open.text}\n${line}`;
        if (text.length > LONGEST_QUOTED) failUnclosed(issues, row);
        if (!hasOddQuotes(line)) {
          open = { row, text };
          continue;
        }
      } else if (line === "") continue;
      const cells = text.includes('"') ? splitQuoted(text, separator, row, issues) : text.split(separator);
      if (cells) records.push({ row, cells });
      open = cells ? null : { row, text };
    }
    columns ??= records[0] && namedColumns(records[0].cells, records[1]?.cells);
    yield records.map((record) => withoutBlankEnd(record, columns));
  }
  if (open) failUnclosed(issues, open.row);
}

/** The same lines, the first batch with two records at least, where there are two. */
async function* twoRecordsFirst(
  batches: AsyncIterable<LineBatch> | Iterable<LineBatch>,
): AsyncGenerator<LineBatch, void, undefined> {
  let head: LineBatch | null = null;
  let begun = false;
  for await (const batch of batches) {
    if (begun) {
      yield batch;
      continue;
    }
    head = head ? { first: head.first, lines: [...head.lines, ...batch.lines] } : batch;
    begun = firstRecords(head.lines).length === 2;
    if (begun) yield head;
  }
  if (head && !begun) yield head;
}

/** The separator that Excel's first line `sep=;` names. */
function namedSeparator(line: string | undefined): Separator | undefined {
  const named = /^"?sep=(.)"?$/i.exec(line ?? "")?.[1];
  return SEPARATORS.find((separator) => separator === named);
}

/** Columns before those at the header's end that have no name, and no cell in the next record either. */
function namedColumns(header: readonly string[], next: readonly string[] = []): number {
  const named = 1 + header.findLastIndex((name) => name !== "");
  if (named === 0 || named === header.length) return Infinity;
  return next.slice(named).every((cell) => cell === "") ? named : Infinity;
}

function withoutBlankEnd(record: CsvRecord, columns = Infinity): CsvRecord {
  const { row, cells } = record;
  if (cells.length <= columns || !cells.slice(columns).every((cell) => cell === "")) return record;
  return { row, cells: cells.slice(0, columns) };
}

/** The first two records' text without what is quoted; fewer where there are no more, or a quote isn't closed yet. */
function firstRecords(lines: readonly string[]): string[] {
  const bare: string[] = [];
  let text = "";
  let open = false;
  for (const line of lines) {
    if (line === "" && !open) continue;
    text = open ? `${text}\n${line}` : line;
    if (open && text.length > LONGEST_QUOTED) return [...bare, text, ""];
    open = hasOddQuotes(line) !== open;
    if (open) continue;
    bare.push(text.replace(/"[^"]*"/g, ""));
    if (bare.length === 2) break;
  }
  return bare;
}

/** Names of columns that tell the separator beside them. */
const KNOWN = new Set(["model", "item_id", "score", "scenario"]);

/**
 * The separator that the first record has; where it has several, the one by which the second record has as many cells, and
 * of those the one that leaves a known column's name. A table of one column has none, and any will do.
 */
function separatorOf(lines: readonly string[], first: number, issues: DataIssues): Separator {
  const [header = "", next] = firstRecords(lines);
  const count = (text: string, separator: Separator): number => text.split(separator).length;
  const present = SEPARATORS.filter((separator) => header.includes(separator));
  if (present.length < 2) return present[0] ?? ",";
  const fitting = present.filter(
    (separator) => next !== undefined && count(next, separator) === count(header, separator),
  );
  if (fitting.length < 2) return fitting[0] ?? ",";
  const naming = fitting.filter((separator) => header.split(separator).some((cell) => KNOWN.has(cell.trim())));
  if (naming.length === 1) return naming[0]!;
  const row = first + lines.findIndex((line) => line !== "");
  const names = fitting.map((separator) => SEPARATOR_WORDS[separator]).join(" or ");
  issues.fail(
    { row },
    "ambiguous_separator",
    `columns may be separated by ${names}: put cells that have one of them in quotes`,
  );
}

function failUnclosed(issues: DataIssues, row: number): never {
  issues.fail({ row }, "malformed_csv", "a quoted cell of this row is never closed");
}

function hasOddQuotes(line: string): boolean {
  let odd = false;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) odd = !odd;
  return odd;
}

/** Cells of a record; null where its last quoted cell is still open. */
function splitQuoted(text: string, separator: Separator, row: number, issues: DataIssues): string[] | null {
  const cells: string[] = [];
  for (let at = 0; ; at++) {
    if (text.charCodeAt(at) === 0x22) {
      let cell = "";
      for (let from = at + 1; ;) {
        const quote = text.indexOf('"', from);
        if (quote < 0) return null;
        if (text.charCodeAt(quote + 1) !== 0x22) {
          cells.push(cell + text.slice(from, quote));
          at = quote + 1;
          break;
        }
        cell += text.slice(from, quote + 1);
        from = quote + 2;
      }
      if (at < text.length && text[at] !== separator)
        issues.fail(
          { row, column: cells.length },
          "malformed_csv",
          "there is text after the closing quote of the cell",
        );
    } else {
      const end = text.indexOf(separator, at);
      const cell = text.slice(at, end < 0 ? text.length : end);
      cells.push(cell);
      if (cell.includes('"'))
        issues.fail(
          { row, column: cells.length },
          "malformed_csv",
          "a quote stands in an unquoted cell: quote the cell, and write the quote twice",
        );
      at += cell.length;
    }
    if (at >= text.length) return cells;
  }
}

/** Whether a row has as many cells as the header; else the issue is noted. */
export function checkWidth({ row, cells }: CsvRecord, header: readonly string[], issues: DataIssues): boolean {
  if (cells.length === header.length) return true;
  const count = cells.length === 1 ? "1 cell" : `${cells.length} cells`;
  const message = `the row has ${count}, the header has ${header.length}`;
  const hint = `${message}; R's write.table leaves out the name of the first column: col.names = NA writes one`;
  // The first row behind the header tells R's tables from a row that is broken.
  issues.add({ row }, "ragged", row === 2 && cells.length === header.length + 1 ? hint : message);
  return false;
}
