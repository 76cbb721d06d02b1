import { firstFew, quoted, type CsvRecord, type DataIssues, type ScoreReader } from "anchoreval/node";
import { LONG_COLUMNS, longCsvReader } from "./long-table.ts";
import type { ScoreTable } from "./score-table.ts";
import { wideCsvReader } from "./wide-csv.ts";

/**
 * Decides by the header between the wide and the long form.
 * @param remarks - takes what the user should be told
 * @returns what takes the records after the header
 */
export function csvTableReader(
  header: CsvRecord,
  table: ScoreTable,
  reader: ScoreReader,
  issues: DataIssues,
  remarks: string[],
): (record: CsvRecord) => void {
  const { row, cells } = header;
  const absent = LONG_COLUMNS.filter((name) => !cells.includes(name));
  if (absent.length === 0) {
    const ignored = cells.filter((name) => !(LONG_COLUMNS as readonly string[]).includes(name));
    if (ignored.length > 0) remarks.push(`columns that are not read: ${firstFew(ignored)}`);
    return longCsvReader(header, table, reader, issues);
  }
  if (cells[0] !== "model") {
    const separator = /^model([;\t])/.exec(cells[0]!)?.[1];
    const message =
      separator === undefined
        ? `a header is model,<item_id>… or has the columns ${LONG_COLUMNS.join(",")}; this one begins with ${quoted(cells[0]!)}`
        : `columns are separated by commas, not by ${separator === ";" ? "semicolons" : "tabs"}`;
    issues.fail({ row, column: 1 }, "wrong_header", message);
  }
  const take = wideCsvReader(header, table, reader, issues);
  if (absent.length === LONG_COLUMNS.length - 1) return take;
  // Items may be called so, but then their cells are scores.
  return (record) => {
    if (record.cells.slice(1).some((cell) => isText(reader.fromText(cell)))) {
      const message = `a long table has the columns ${LONG_COLUMNS.join(",")}; there is no ${absent.join(", no ")}`;
      issues.fail({ row }, "wrong_header", message);
    }
    take(record);
  };
}

function isText(score: ReturnType<ScoreReader["fromText"]>): boolean {
  return typeof score === "object" && score.code === "not_a_number";
}
