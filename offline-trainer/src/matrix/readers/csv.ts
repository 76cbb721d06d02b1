import { checkWidth, type CsvRecord } from "anchoreval/internal/tables/csv-records";
import { quoted } from "anchoreval/internal/tables/data-issues";
import type { ScoreReader } from "anchoreval/internal/tables/score-reader";
import { LONG_COLUMNS, longCsvReader, noteUnread } from "./long-table.ts";
import type { ScoreTable } from "./score-table.ts";

/** Decides by the header between the wide and the long form. @returns what takes the records after the header */
export function csvTableReader(header: CsvRecord, table: ScoreTable, remarks: string[]): (record: CsvRecord) => void {
  const { row, cells } = header;
  const { issues, reader } = table;
  const absent = LONG_COLUMNS.filter((name) => !cells.includes(name));
  if (absent.length === 0) {
    noteUnread(cells, LONG_COLUMNS, remarks);
    return longCsvReader(header, table);
  }
  if (cells[0] !== "model") {
    const separator = /^model([;\t])/.exec(cells[0]!)?.[1];
    const message =
      separator === undefined
        ? `a header is model,<item_id>… or has the columns ${LONG_COLUMNS.join(",")}; this one begins with ${quoted(cells[0]!)}`
        : `columns are separated by commas, not by ${separator === ";" ? "semicolons" : "tabs"}`;
    issues.fail({ row, column: 1 }, "wrong_header", message);
  }
  const take = wideCsvReader(header, table);
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

/** Reads the wide form: header `model,<item_id>…`, a row a model, an empty cell where there is no score. */
function wideCsvReader(header: CsvRecord, table: ScoreTable): (record: CsvRecord) => void {
  const { issues, reader } = table;
  header.cells.forEach((id, index) => {
    if (index === 0) return;
    const first = table.item(id);
    if (first === undefined) table.addItem(id, header.row, index + 1);
    else
      issues.add(
        { row: header.row, column: index + 1 },
        "duplicate",
        `item ${quoted(id)} is there twice, first in column ${first + 2}`,
      );
  });
  issues.refuse();
  if (table.items.length === 0) issues.fail({ row: header.row }, "wrong_header", "the header names no items");

  return ({ row, cells }) => {
    if (!checkWidth({ row, cells }, header.cells, issues)) return;
    const scores = new Float32Array(table.items.length);
    for (let item = 0; item < scores.length; item++) {
      const score = reader.fromText(cells[item + 1]!);
      if (typeof score === "number") scores[item] = score;
      else issues.add({ row, column: table.items[item]! }, score.code, score.message);
    }
    const name = cells[0]!;
    const first = table.model(name);
    if (first === undefined) table.addModel(name, row, "model", scores);
    else
      issues.add(
        { row, column: "model" },
        "duplicate",
        `model ${quoted(name)} is there twice, first in row ${table.modelRows[first]!}`,
      );
  };
}
