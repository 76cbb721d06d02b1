import { checkWidth, type CsvRecord } from "anchoreval/internal/tables/csv-records";
import { type DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import type { JsonRecord } from "anchoreval/internal/tables/json-records";
import type { ScoreReader } from "anchoreval/internal/tables/score-reader";
import { emptyRow, RepeatedScores, TRIAL_COLUMN, type ScoreTable } from "./score-table.ts";

/** Columns of the long form: a line a score. */
export const LONG_COLUMNS = ["model", "item_id", "score"] as const;

/** Reads the long form from CSV, its columns in any order, with one that tells trials apart or without; others are ignored. */
export function longCsvReader(header: CsvRecord, table: ScoreTable): (record: CsvRecord) => void {
  const { issues, reader } = table;
  const places = LONG_COLUMNS.map((name) => placeOf(name, header, issues));
  const [model, item, score] = places as [number, number, number];
  const trial = placeOf(TRIAL_COLUMN, header, issues);
  issues.refuse();
  if (trial >= 0) table.repeats = new RepeatedScores(table);
  return ({ row, cells }) => {
    if (!checkWidth({ row, cells }, header.cells, issues)) return;
    const answer = { row, model: cells[model]!, item: cells[item]!, score: reader.fromText(cells[score]!) };
    putScore(trial < 0 ? answer : { ...answer, trial: cells[trial] }, table);
  };
}

/** Where a column is in a header; the issue is noted where it is there twice. */
function placeOf(name: string, { row, cells }: CsvRecord, issues: DataIssues): number {
  const at = cells.indexOf(name);
  const again = cells.indexOf(name, at + 1);
  if (again >= 0) issues.addTwice({ row, column: again + 1 }, `column ${quoted(name)}`, `column ${at + 1}`);
  return at;
}

/** Where a column is in a header. @throws AnchorEvalError `invalid_data` where it is there twice */
export function onlyPlaceOf(name: string, header: CsvRecord, issues: DataIssues): number {
  const at = placeOf(name, header, issues);
  issues.refuse();
  return at;
}

/** Says which columns of a table aren't read. */
export function noteUnread(names: readonly string[], read: readonly string[], remarks: string[]): void {
  const unread = names.filter((name) => !read.includes(name));
  if (unread.length > 0) remarks.push(`columns that are not read: ${firstFew(unread)}`);
}

/**
 * Reads the long form from JSON lines: `{"model","item_id","score"}`, with `trial` in all or none; others are ignored: those of the first line
 * are said.
 */
export function longJsonReader(table: ScoreTable, remarks: string[]): (record: JsonRecord) => void {
  let first = true;
  return ({ row, fields }) => {
    if (first && fields[TRIAL_COLUMN] !== undefined) table.repeats = new RepeatedScores(table);
    if (first) noteUnread(Object.keys(fields), [...LONG_COLUMNS, TRIAL_COLUMN], remarks);
    first = false;
    const model = table.idOf(fields["model"], row, "model");
    const item = table.idOf(fields["item_id"], row, "item_id");
    if (model !== null && item !== null)
      putScore({ row, model, item, score: table.reader.fromJson(fields["score"]), trial: fields[TRIAL_COLUMN] }, table);
  };
}

/** A row of the long form; `score` NaN for none. */
interface LongEntry {
  readonly row: number;
  readonly model: string;
  readonly item: string;
  readonly score: ReturnType<ScoreReader["fromText"]>;
  /** Of a table with a column of trials. */
  readonly trial?: unknown;
}

/** Puts a row into the table, or notes why it can't be. */
export function putScore(entry: LongEntry, table: ScoreTable, issues = table.issues): void {
  const { row, model, item, score, trial } = entry;
  const m = table.model(model) ?? table.addModel(model, row, "model", emptyRow(0));
  const i = table.item(item) ?? table.addItem(item, row, "item_id");
  const place = { row, column: "score", duplicate: "item_id" };
  if (table.repeats) table.repeats.enter({ model: m, item: i, trial }, score, place);
  else table.enter(m, i, score, place, issues);
}
