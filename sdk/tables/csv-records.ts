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

/**
 * The records of comma-separated lines by RFC 4180: quoted cells, doubled quotes, line ends in quoted cells. Wholly
 * empty lines are skipped. Widths are not checked.
 * @throws AnchorEvalError `invalid_data` for a quote where none can stand, or one that is never closed
 */
export async function* csvRecords(
  batches: AsyncIterable<LineBatch> | Iterable<LineBatch>,
  issues: DataIssues,
): AsyncGenerator<CsvRecord[], void, undefined> {
  let open: { row: number; text: string } | null = null;
  for await (const { first, lines } of batches) {
    const records: CsvRecord[] = [];
    for (let i = 0; i < lines.length; i++) {
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
      const cells = text.includes('"') ? splitQuoted(text, row, issues) : text.split(",");
      if (cells) records.push({ row, cells });
      open = cells ? null : { row, text };
    }
    yield records;
  }
  if (open) failUnclosed(issues, open.row);
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
function splitQuoted(text: string, row: number, issues: DataIssues): string[] | null {
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
      if (at < text.length && text.charCodeAt(at) !== 0x2c)
        issues.fail(
          { row, column: cells.length },
          "malformed_csv",
          "there is text after the closing quote of the cell",
        );
    } else {
      const comma = text.indexOf(",", at);
      const cell = text.slice(at, comma < 0 ? text.length : comma);
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
  issues.add({ row }, "ragged", `the row has ${count}, the header has ${header.length}`);
  return false;
}
