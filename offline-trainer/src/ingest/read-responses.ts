import {
  csvRecords,
  DataIssues,
  jsonRecords,
  scoreReader,
  type CsvRecord,
  type JsonRecord,
  type ScoreOptions,
  type ScoreReader,
} from "anchoreval/node";
import { groupedOrder } from "../matrix/group-items.ts";
import type { ItemInfo, ResponseMatrix } from "../matrix/response-matrix.ts";
import { assembleMatrix } from "./assemble-matrix.ts";
import { csvTableReader } from "./csv-table.ts";
import { checkTable } from "./check-table.ts";
import { defaultItems } from "./default-items.ts";
import { readItems } from "./items-file.ts";
import { longJsonReader } from "./long-table.ts";
import { matchItems } from "./match-items.ts";
import { openTable } from "./open-table.ts";
import { poolItems } from "./pool-items.ts";
import { isParquet, readParquetTable } from "./parquet-table.ts";
import { isPyIrt, pyIrtReader } from "./py-irt.ts";
import { ScoreTable } from "./score-table.ts";

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

/** Responses as read, and what a user should be told about the reading. */
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
  const counts = new Map<string, { without: number; all: number }>();
  for (const { scenario, subscenario } of items) {
    const count = counts.get(scenario) ?? { without: 0, all: 0 };
    count.all++;
    if (subscenario === undefined) count.without++;
    counts.set(scenario, count);
  }
  return [...counts]
    .filter(([, { without, all }]) => without > 0 && without < all)
    .map(
      ([scenario, { without, all }]) =>
        `${scenario}: ${without} of its ${all} items have no subscenario, and count as one of their own`,
    );
}
