import { checkWidth, type CsvRecord } from "anchoreval/internal/tables/csv-records";
import { type DataIssues, jsonKind, quoted } from "anchoreval/internal/tables/data-issues";
import type { JsonRecord } from "anchoreval/internal/tables/json-records";
import type { ScoreReader } from "anchoreval/internal/tables/score-reader";
import type { ScoreTable } from "./score-table.ts";

/** Columns of the long form: a line a score. */
export const LONG_COLUMNS = ["model", "item_id", "score"] as const;

/**
 * Reads the long form from CSV, its columns in any order; others are ignored.
 * @returns what takes the records after the header
 */
export function longCsvReader(
  header: CsvRecord,
  table: ScoreTable,
  reader: ScoreReader,
  issues: DataIssues,
): (record: CsvRecord) => void {
  const [model, item, score] = LONG_COLUMNS.map((name) => {
    const at = header.cells.indexOf(name);
    const again = header.cells.indexOf(name, at + 1);
    if (again >= 0)
      issues.add(
        { row: header.row, column: again + 1 },
        "duplicate",
        `column ${quoted(name)} is there twice, first in column ${at + 1}`,
      );
    return at;
  }) as [number, number, number];
  issues.refuse();
  return ({ row, cells }) => {
    if (checkWidth({ row, cells }, header.cells, issues))
      putScore({ row, model: cells[model]!, item: cells[item]!, score: reader.fromText(cells[score]!) }, table, issues);
  };
}

/** Reads the long form from JSON lines: `{"model","item_id","score"}`, other fields are ignored. */
export function longJsonReader(
  table: ScoreTable,
  reader: ScoreReader,
  issues: DataIssues,
): (record: JsonRecord) => void {
  return ({ row, fields }) => {
    const { model, item_id: item } = fields;
    for (const [column, value] of [
      ["model", model],
      ["item_id", item],
    ] as const)
      if (typeof value !== "string")
        issues.add({ row, column }, "wrong_type", `${column} must be text, got ${jsonKind(value)}`);
    if (typeof model === "string" && typeof item === "string")
      putScore({ row, model, item, score: reader.fromJson(fields["score"]) }, table, issues);
  };
}

/** A row of the long form; `score` NaN for none. */
interface LongEntry {
  readonly row: number;
  readonly model: string;
  readonly item: string;
  readonly score: ReturnType<ScoreReader["fromText"]>;
}

/** Puts a row into the table, or notes why it can't be. */
export function putScore({ row, model, item, score }: LongEntry, table: ScoreTable, issues: DataIssues): void {
  const m = table.model(model) ?? table.addModel(model, row, "model", new Float32Array(0));
  const i = table.item(item) ?? table.addItem(item, row, "item_id");
  const fresh = table.put(m, i, typeof score === "number" ? score : NaN);
  if (!fresh)
    issues.add({ row, column: "item_id" }, "duplicate", `model ${quoted(model)} answers item ${quoted(item)} twice`);
  else if (typeof score === "object") issues.add({ row, column: "score" }, score.code, score.message);
}
