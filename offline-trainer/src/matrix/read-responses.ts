import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { type CsvRecord, csvRecords } from "anchoreval/internal/tables/csv-records";
import { DataIssues, firstFew } from "anchoreval/internal/tables/data-issues";
import { type JsonRecord, jsonRecords } from "anchoreval/internal/tables/json-records";
import { type ScoreOptions, scoreReader, type ScoreReader } from "anchoreval/internal/tables/score-reader";
import { defaultItems, readItems } from "./items-file.ts";
import { openTable } from "./readers/chosen-rows.ts";
import { csvTableReader } from "./readers/csv.ts";
import { longJsonReader } from "./readers/long-table.ts";
import { isParquet, readParquetTable } from "./readers/parquet.ts";
import { isPyIrt, pyIrtReader } from "./readers/py-irt.ts";
import { assembleMatrix, checkTable, ScoreTable } from "./readers/score-table.ts";
import { groupedOrder, type ItemInfo, type ResponseMatrix } from "./response-matrix.ts";

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
}

/**
 * Reads a leaderboard's responses: wide CSV (`model,<item_id>…`), long CSV, JSON lines or Parquet (`model`, `item_id`,
 * `score`), or py-irt's JSON lines; text plain or gzip. The ending .csv, .jsonl or .parquet decides, else the content does.
 * @throws AnchorEvalError `invalid_data` naming file, row, column and rule; `invalid_option` for a range that is none
 * @example const { matrix, remarks } = await readResponses("responses.csv.gz", { items: "items.jsonl.gz" });
 */
export async function readResponses(path: string, options: ReadResponsesOptions = {}): Promise<Responses> {
  const reader = scoreReader(options);
  // Cheap, and wrong descriptions shall not show only after a long read.
  const described = options.items === undefined ? null : await readItems(options.items);
  const remarks: string[] = [];
  const { table, issues } = await readTable(path, reader, remarks);
  if (described) matchItems(described, table.items, { items: options.items!, responses: path });
  checkTable(table, issues, options.leastModels);
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
  return {
    matrix: assembleMatrix(
      table,
      Array.from(groupedOrder(items), (i) => items[i]!),
    ),
    remarks,
  };
}

async function readTable(
  path: string,
  reader: ScoreReader,
  remarks: string[],
): Promise<{ table: ScoreTable; issues: DataIssues }> {
  if (isParquet(path)) {
    const issues = new DataIssues(path);
    const table = new ScoreTable(issues);
    await readParquetTable(path, table, reader, issues, remarks);
    issues.refuse();
    return { table, issues };
  }
  const { json, lines } = await openTable(path);
  const issues = new DataIssues(path, json ? "lines" : "table");
  const table = new ScoreTable(issues);
  if (json) {
    let take: ((record: JsonRecord) => void) | undefined;
    for await (const records of jsonRecords(lines, issues))
      for (const record of records) {
        take ??= (isPyIrt(record) ? pyIrtReader : longJsonReader)(table, reader, issues);
        take(record);
      }
  } else {
    let take: ((record: CsvRecord) => void) | undefined;
    for await (const records of csvRecords(lines, issues))
      for (const record of records)
        if (take) take(record);
        else take = csvTableReader(record, table, reader, issues, remarks);
  }
  issues.refuse();
  return { table, issues };
}

function mixedSubscenarios(items: readonly ItemInfo[]): string[] {
  const counts = new Map<string, { missing: number; all: number }>();
  for (const { scenario, subscenario } of items) {
    const count = counts.get(scenario) ?? { missing: 0, all: 0 };
    count.all++;
    if (subscenario === undefined) count.missing++;
    counts.set(scenario, count);
  }
  return [...counts]
    .filter(([, { missing, all }]) => missing > 0 && missing < all)
    .map(
      ([scenario, { missing, all }]) =>
        `${scenario}: ${missing} of its ${all} items have no subscenario, and count as one of their own`,
    );
}

const LISTED = 20;

/**
 * Checks that the described items and those with responses are the same.
 * @throws AnchorEvalError `invalid_data` naming how many of which are not, and the first of them
 */
function matchItems(
  described: readonly ItemInfo[],
  responded: readonly string[],
  files: { readonly items: string; readonly responses: string },
): void {
  const descriptions = new Set(described.map((item) => item.item_id));
  const undescribed = responded.filter((id) => !descriptions.has(id));
  if (undescribed.length > 0)
    refuse(
      files.responses,
      undescribed,
      "undescribed_item",
      `${items(undescribed.length)} of the responses ${verb(undescribed.length)} not described in ${files.items}`,
      `not described in ${files.items}`,
    );
  const columns = new Set(responded);
  const unanswered = described.map((item) => item.item_id).filter((id) => !columns.has(id));
  if (unanswered.length > 0)
    refuse(
      files.items,
      unanswered,
      "item_without_responses",
      `${items(unanswered.length)} described here ${verb(unanswered.length)} not in ${files.responses}`,
      `not in ${files.responses}`,
    );
}

function items(count: number): string {
  return count === 1 ? "1 item" : `${count} items`;
}

function verb(count: number): string {
  return count === 1 ? "is" : "are";
}

/** @param each - message for one of them */
function refuse(file: string, ids: readonly string[], rule: string, message: string, each: string): never {
  throw new AnchorEvalError("invalid_data", `${file}: ${message}: ${firstFew(ids)}`, {
    issues: ids.slice(0, LISTED).map((id) => ({ path: [file, id], code: rule, message: each })),
  });
}

/**
 * All items as one scenario, whose subscenarios are the scenarios that they were of: with weights by subscenario its
 * score is the mean of theirs. Their own subscenarios are lost.
 * @returns the items, and sentences that say so
 */
export function poolItems(items: readonly ItemInfo[], scenario: string): { items: ItemInfo[]; remarks: string[] } {
  const divided = [
    ...new Set(items.filter(({ subscenario }) => subscenario !== undefined).map((item) => item.scenario)),
  ];
  return {
    items: items.map((item) => ({ ...item, scenario, subscenario: item.scenario })),
    remarks: divided.map((own) => `${own} is one subscenario of ${scenario}: its own subscenarios are not told apart`),
  };
}
