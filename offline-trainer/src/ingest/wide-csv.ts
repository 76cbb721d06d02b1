import { checkWidth, quoted, type CsvRecord, type DataIssues, type ScoreReader } from "anchoreval/node";
import type { ScoreTable } from "./score-table.ts";

/**
 * Reads the wide form: header `model,<item_id>…`, a row a model, an empty cell where there is no score.
 * @returns what takes the records after the header
 */
export function wideCsvReader(
  header: CsvRecord,
  table: ScoreTable,
  reader: ScoreReader,
  issues: DataIssues,
): (record: CsvRecord) => void {
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
