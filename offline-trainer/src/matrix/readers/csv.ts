import { checkWidth, type CsvRecord } from "anchoreval/internal/tables/csv-records";
import { quoted } from "anchoreval/internal/tables/data-issues";
import type { ScoreReader } from "anchoreval/internal/tables/score-reader";
import { LONG_COLUMNS, longCsvReader, noteUnread } from "./long-table.ts";
import { emptyRow, TRIAL_COLUMN, type ScoreTable, withScore } from "./score-table.ts";

/** Names of a first column by which a table's rows are items, not models. */
const ITEM_COLUMN = /^(?:item|question|doc|document|sample|instance|prompt|problem|example)s?(?:[ _.-]?(?:id|name|no|nr|number|index))?$/i; // prettier-ignore

/** Cells that are scores, and seldom ids of items. */
const SCORE_CELL = /^(?:[01]|[01]?[.,]\d+|true|false)$/i;

/** Columns of row numbers, as pandas and R write them. */
const ROW_NUMBERS = /^(?:|Unnamed: \d+)$/;

/** Decides by the header between the wide and the long form. @returns what takes the records after the header */
export function csvTableReader(header: CsvRecord, table: ScoreTable, remarks: string[]): (record: CsvRecord) => void {
  const { row, cells } = header;
  const { issues, reader } = table;
  const absent = LONG_COLUMNS.filter((name) => !cells.includes(name));
  if (absent.length === 0) {
    noteUnread(cells, [...LONG_COLUMNS, TRIAL_COLUMN], remarks);
    return longCsvReader(header, table);
  }
  const named = cells.includes("model");
  if (!named && absent.length > 1 && ITEM_COLUMN.test(cells[0]!))
    issues.fail(
      { row, column: 1 },
      "wrong_header",
      `a row is a model and a column an item, or the columns are ${LONG_COLUMNS.join(",")}; this table begins with ${quoted(cells[0]!)}: swap its rows and columns`,
    );
  if (!named && cells.length > 1 && cells.slice(1).every((cell) => SCORE_CELL.test(cell)))
    issues.fail({ row }, "wrong_header", "the first row has scores: a table begins with a header, model,<item_id>…");
  const take = wideCsvReader(header, table, remarks);
  if (absent.length === LONG_COLUMNS.length - 1 && named) return take;
  // Columns of a long table's may be items' ids, but then their cells are scores.
  const message =
    absent.length < LONG_COLUMNS.length
      ? `a long table has the columns ${LONG_COLUMNS.join(",")}; there is no ${absent.join(", no ")}`
      : `a wide table has a column of models, then scores alone, and a long one the columns ${LONG_COLUMNS.join(",")}; this has text in others: import the table and name them with \`columns\` model=…,item=…,score=…`;
  let first: boolean = true;
  return (record) => {
    // Without any of the names, text in a later row is a slip.
    if (
      (first || absent.length < LONG_COLUMNS.length) &&
      record.cells.slice(1).some((cell) => isText(reader.fromText(cell)))
    )
      issues.fail({ row }, "wrong_header", message);
    first = false;
    take(record);
  };
}

function isText(score: ReturnType<ScoreReader["fromText"]>): boolean {
  return typeof score === "object" && score.code === "not_a_number";
}

/**
 * Reads the wide form: a column of models, called `model` or else the first one, and a column an item; a row a model, an
 * empty cell where there is no score. Columns of row numbers before the models are left aside.
 */
function wideCsvReader(header: CsvRecord, table: ScoreTable, remarks: string[]): (record: CsvRecord) => void {
  const { issues, reader } = table;
  const modelAt = Math.max(0, header.cells.indexOf("model"));
  const numbers = header.cells.slice(0, modelAt).filter((name) => ROW_NUMBERS.test(name));
  noteUnread(numbers, [], remarks);
  const places = header.cells.flatMap((name, at) =>
    at === modelAt || (at < modelAt && ROW_NUMBERS.test(name)) ? [] : [at],
  );
  for (const at of places) {
    const id = header.cells[at]!;
    const first = table.item(id);
    if (first === undefined) table.addItem(id, header.row, at + 1);
    else issues.addTwice({ row: header.row, column: at + 1 }, `item ${quoted(id)}`, `column ${places[first]! + 1}`);
  }
  issues.refuse();
  if (table.items.length === 0) issues.fail({ row: header.row }, "wrong_header", "the header names no items");

  return ({ row, cells }) => {
    if (!checkWidth({ row, cells }, header.cells, issues)) return;
    let scores = emptyRow(table.items.length);
    for (let item = 0; item < scores.length; item++) {
      const score = reader.fromText(cells[places[item]!]!);
      if (typeof score === "number") scores = withScore(scores, item, score);
      else issues.add({ row, column: table.items[item]! }, score.code, score.message);
    }
    const name = cells[modelAt]!;
    const first = table.model(name);
    if (first === undefined) table.addModel(name, row, "model", scores);
    else issues.addTwice({ row, column: "model" }, `model ${quoted(name)}`, `row ${table.modelRows[first]!}`);
  };
}
