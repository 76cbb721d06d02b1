import { AnchorEvalError, checkNames } from "anchoreval/internal/core/errors";
import { groupBy } from "anchoreval/internal/logs/run-log";
import { type CsvRecord, csvRecords } from "anchoreval/internal/tables/csv-records";
import { DataIssues, firstFew, jsonKind, quoted } from "anchoreval/internal/tables/data-issues";
import { type JsonRecord, jsonRecords, visitJsonKeys } from "anchoreval/internal/tables/json-records";
import { type ScoreOptions, scoreReader, type ScoreReader } from "anchoreval/internal/tables/score-reader";
import { type BorderFinding, checkBoard, type CheckedBoard, findingWords } from "../../../features/fit-board.ts";
import { defaultItems, readItems } from "./items-file.ts";
import { openTable } from "./readers/chosen-rows.ts";
import { csvTableReader } from "./readers/csv.ts";
import { longJsonReader } from "./readers/long-table.ts";
import { isParquet, readParquetTable } from "./readers/parquet.ts";
import { assembleMatrix, type CellTrials, checkTable, emptyRow, ScoreTable } from "./readers/score-table.ts";
import type { ItemInfo, ResponseMatrix } from "./response-matrix.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/** How a table of scores is read. */
export interface ReadResponsesOptions extends ScoreOptions {
  /** File that describes the items. @default none: scenarios are taken from the ids */
  readonly items?: string;
  /** Where no file describes the items: all are one scenario, and nothing is said of it. */
  readonly oneScenario?: boolean;
  /** Models below which they are refused. @default 5: item parameters say nothing of fewer */
  readonly leastModels?: number;
  /** All items are one scenario of this name, their scenarios its subscenarios; their own subscenarios are lost. */
  readonly pool?: string;
}

/** Responses as read, and remarks for the user. */
export interface Responses {
  /** Items in the order of the items file (else of the responses), grouped by scenario and subscenario. */
  readonly matrix: ResponseMatrix;
  /** Sentences: what was assumed, what was left aside. */
  readonly remarks: readonly string[];
  /** Of a long table with a column `trial`: what every cell of the matrix is the mean of. */
  readonly trials?: readonly CellTrials[];
}

/** Responses from a file. */
export interface ReadResponses extends Responses {
  /** The board as it came in, and all that is odd about it, which is among the remarks, too. */
  readonly board: CheckedBoard;
}

/**
 * Reads a leaderboard's responses: wide CSV (`model,<item_id>…`), long CSV, JSON lines or Parquet (`model`, `item_id`,
 * `score`), or py-irt's JSON lines; text plain or gzip. The ending .csv, .jsonl or .parquet decides, else the content does.
 * A long table with a column `trial` has a row a trial: the matrix has their means.
 * @throws AnchorEvalError `invalid_data` naming file, row, column and rule; `invalid_option` for a range that is none
 * @example const { matrix, remarks } = await readResponses("responses.csv.gz", { items: "items.jsonl.gz" });
 */
export async function readResponses(path: string, options: ReadResponsesOptions = {}): Promise<ReadResponses> {
  checkNames(options, { scoreRange: "list", items: true, oneScenario: true, leastModels: "number", pool: true });
  const reader = scoreReader(options);
  // Cheap, and wrong descriptions shall not show only after a long read.
  const findings: BorderFinding[] = [];
  const described = options.items === undefined ? null : await readItems(options.items, findings);
  const remarks: string[] = [];
  const table = await readTable(path, reader, remarks);
  const trials = table.repeats?.finish();
  remarks.push(...(table.repeats?.remarks() ?? []));
  if (described) matchItems(described, table, { items: options.items!, responses: path });
  checkTable(table, options.leastModels);
  let items = described;
  if (!items && options.oneScenario === true) items = table.items.map((id) => ({ item_id: id, scenario: "all" }));
  if (!items) {
    const assumed = defaultItems(table.items);
    items = assumed.items;
    remarks.push(assumed.remark);
  }
  if (options.pool !== undefined) {
    const pooled = poolItems(items, options.pool);
    items = pooled.items;
    remarks.push(...pooled.remarks);
  }
  remarks.push(...mixedSubscenarios(items));
  const matrix = assembleMatrix(table, items);
  const board = checkBoard(path, matrix, findings);
  remarks.push(...board.findings.map(findingWords));
  return { matrix, remarks, board, ...(trials && { trials }) };
}

async function readTable(path: string, reader: ScoreReader, remarks: string[]): Promise<ScoreTable> {
  if (isParquet(path)) {
    const table = new ScoreTable(new DataIssues(path), reader);
    await readParquetTable(path, table, remarks);
    table.issues.refuse();
    return table;
  }
  const { json, lines } = await openTable(path);
  const issues = new DataIssues(path, json ? "lines" : "table");
  const table = new ScoreTable(issues, reader);
  if (json) {
    let take: ((record: JsonRecord) => void) | undefined;
    for await (const records of jsonRecords(lines, issues))
      for (const record of records) {
        take ??= isPyIrt(record) ? pyIrtReader(table) : longJsonReader(table, remarks);
        take(record);
      }
  } else {
    let take: ((record: CsvRecord) => void) | undefined;
    for await (const records of csvRecords(lines, issues))
      for (const record of records)
        if (take) take(record);
        else take = csvTableReader(record, table, remarks);
  }
  issues.refuse();
  return table;
}

function mixedSubscenarios(items: readonly ItemInfo[]): string[] {
  return [...groupBy(items, ({ scenario }) => scenario)].flatMap(([scenario, all]) => {
    const missing = all.filter(({ subscenario }) => subscenario === undefined).length;
    if (missing === 0 || missing === all.length) return [];
    return [`${scenario}: ${missing} of its ${all.length} items have no subscenario, and count as one of their own`];
  });
}

const LISTED = 20;

/**
 * Checks that the described items and those with responses are the same.
 * @throws AnchorEvalError `invalid_data` naming how many of which are not, and the first of them
 */
function matchItems(
  described: readonly ItemInfo[],
  { items: responded, models }: Pick<ScoreTable, "items" | "models">,
  files: { readonly items: string; readonly responses: string },
): void {
  const ids = described.map((item) => item.item_id);
  const { items, responses } = files;
  const descriptions = new Set(ids);
  const undescribed = responded.filter((id) => !descriptions.has(id));
  if (models.length > 0 && undescribed.length === responded.length && models.every((name) => descriptions.has(name)))
    new DataIssues(responses).fail(
      {},
      "wrong_header",
      `its rows are the items of ${items}, and its columns are taken for items: swap its rows and columns`,
    );
  refuseItems(responses, undescribed, "undescribed_item", "of the responses", `not described in ${items}`);
  const columns = new Set(responded);
  const unanswered = ids.filter((id) => !columns.has(id));
  refuseItems(items, unanswered, "item_without_responses", "described here", `not in ${responses}`);
}

/** Refuses items, if there are any. @param what - says what is wrong with each */
function refuseItems(file: string, ids: readonly string[], rule: string, whose: string, what: string): void {
  if (ids.length === 0) return;
  const subject = ids.length === 1 ? `1 item ${whose} is` : `${ids.length} items ${whose} are`;
  throw new AnchorEvalError("invalid_data", `${file}: ${subject} ${what}: ${firstFew(ids)}`, {
    issues: ids.slice(0, LISTED).map((id) => ({ path: [file, id], code: rule, message: what })),
  });
}

/**
 * All items as one scenario, whose subscenarios are the scenarios that they were of: with weights by subscenario its
 * score is the mean of theirs. Their own subscenarios are lost.
 */
export function poolItems(items: readonly ItemInfo[], scenario: string): { items: ItemInfo[]; remarks: string[] } {
  const divided = new Set(items.filter(({ subscenario }) => subscenario !== undefined).map((item) => item.scenario));
  return {
    items: items.map((item) => ({ ...item, scenario, subscenario: item.scenario })),
    remarks: [...divided].map(
      (id) => `${id} is one subscenario of ${scenario}: its own subscenarios are not told apart`,
    ),
  };
}

/** Whether a line has py-irt's form. */
function isPyIrt({ fields }: JsonRecord): boolean {
  return Object.hasOwn(fields, "subject_id") || Object.hasOwn(fields, "responses");
}

/** Reads py-irt's JSON lines: `{"subject_id","responses":{item: score}}`, a line a model; null = no score. */
function pyIrtReader(table: ScoreTable): (record: JsonRecord) => void {
  const { issues, reader } = table;
  return ({ row, text, fields: { subject_id: subject, responses } }) => {
    const name = table.idOf(subject, row, "subject_id");
    if (name === null) return;
    const first = table.model(name);
    if (typeof responses !== "object" || responses === null || Array.isArray(responses)) {
      const message = `expected an object of item → score, got ${jsonKind(responses)}`;
      issues.add({ row, column: "responses" }, "wrong_type", message);
    } else if (first !== undefined) {
      issues.addTwice({ row, column: "subject_id" }, `model ${quoted(name)}`, `line ${table.modelRows[first]!}`);
    } else {
      const model = table.addModel(name, row, "subject_id", emptyRow(table.items.length));
      for (const id of responseKeys(text)) {
        const score = reader.fromJson(lookUp(responses as Record<string, unknown>, id));
        const item = table.item(id) ?? table.addItem(id, row, "responses");
        table.enter(model, item, score, { row, column: id, duplicate: id });
      }
    }
  };
}

/** Keys of `responses` as they stand in the line: repeated ones too, and in their order. */
function responseKeys(text: string): string[] {
  const keys: string[] = [];
  visitJsonKeys(
    text,
    ([field, id]) => {
      if (field === "responses" && id !== undefined) keys.push(id as string);
    },
    2,
  );
  return keys;
}
