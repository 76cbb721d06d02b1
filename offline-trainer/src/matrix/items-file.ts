import { lettersBetween } from "anchoreval/internal/core/errors";
import { idProblem, SHA256, lookUp } from "anchoreval/internal/core/bundle/names";
import { checkWidth, type CsvRecord, csvRecords } from "anchoreval/internal/tables/csv-records";
import { DataIssues, firstFew, jsonKind, quoted } from "anchoreval/internal/tables/data-issues";
import { type JsonRecord, jsonRecords } from "anchoreval/internal/tables/json-records";
import { isMissingWord, decimalNumber } from "anchoreval/internal/tables/score-reader";
import { checkColumn, openTable } from "./readers/chosen-rows.ts";
import { onlyPlaceOf } from "./readers/long-table.ts";
import type { BorderFinding } from "../../../features/fit-board.ts";
import { type ItemInfo, groupedOrder } from "./response-matrix.ts";
import { givenWeighting } from "./scenarios.ts";

/**
 * Reads descriptions of items: JSON lines or CSV with a header, plain or gzip, with `item_id`, `scenario` and, if wanted,
 * `subscenario`, `text`, `hash`, `task`, `doc_id`. Other fields are ignored; gold answers are never kept. In a CSV an empty
 * cell is none, and a `doc_id` of digits is a number.
 * @param findings - takes what is said of fields that look meant and aren't read
 * @throws AnchorEvalError `invalid_data` naming file, line, field and rule
 */
export async function readItems(path: string, findings: BorderFinding[] = []): Promise<ItemInfo[]> {
  const { json, lines } = await openTable(path);
  const issues = new DataIssues(path, json ? "lines" : "table");
  const items: ItemInfo[] = [];
  const rows = new Map<string, number>();
  const fields = new Set<string>();
  const weights = new Map<string, unknown>();
  for await (const records of json ? jsonRecords(lines, issues) : csvItems(csvRecords(lines, issues), issues))
    for (const record of records) {
      const item = parseItem(record, issues);
      for (const name of Object.keys(record.fields)) fields.add(name);
      const weight = Object.entries(record.fields).find(([name]) => isWeight(name));
      if (item && weight) weights.set(item.item_id, weight[1]);
      if (!item) continue;
      const first = rows.get(item.item_id);
      const { row } = record;
      if (first !== undefined)
        issues.addTwice({ row, column: "item_id" }, `item ${quoted(item.item_id)}`, issues.rowName(first));
      rows.set(item.item_id, row);
      items.push(item);
    }
  issues.refuse();
  if (items.length === 0) issues.fail({}, "empty", "the file describes no items");
  findings.push(...unusedFields(path, [...fields], ITEM_FIELDS), ...unusedWeights(path, items, weights));
  return items;
}

type ItemRecord = Pick<JsonRecord, "row" | "fields">;

/** The rows of a CSV as JSON lines would have them. */
async function* csvItems(
  batches: AsyncIterable<readonly CsvRecord[]>,
  issues: DataIssues,
): AsyncGenerator<readonly ItemRecord[], void, undefined> {
  let header: readonly string[] | null = null;
  let places: readonly (readonly [string, number])[] = [];
  for await (const records of batches) {
    const items: ItemRecord[] = [];
    for (const record of records) {
      const { row, cells } = record;
      if (header === null) {
        header = cells;
        for (const name of ["item_id", "scenario"]) checkColumn(name, "of item_id,scenario,…", header, issues);
        places = [
          ...ITEM_FIELDS.filter((name) => cells.includes(name)).map(
            (name) => [name, onlyPlaceOf(name, record, issues)] as const,
          ),
          ...cells.flatMap((name, at) => (ITEM_FIELDS.some((field) => field === name) ? [] : [[name, at] as const])),
        ];
      } else if (checkWidth(record, header, issues)) {
        const fields = places.map(([name, at]) => [name, cellValue(name, cells[at]!, row, issues)] as const);
        items.push({ row, fields: Object.fromEntries(fields) });
      }
    }
    yield items;
  }
}

/** A cell as JSON would have it; a word for what is missing is refused where it may be a name. */
function cellValue(column: string, cell: string, row: number, issues: DataIssues): unknown {
  if (!ITEM_FIELDS.some((name) => name === column)) return cell;
  if (cell === "" || (column === "hash" && isMissingWord(cell))) return undefined;
  if (column === "doc_id") {
    if (/^(?:0|[1-9]\d{0,14})$/.test(cell)) return Number(cell);
    const whole = /^(\d+)\.0+$/.exec(cell);
    if (whole) issues.add({ row, column }, "ambiguous_number", `${cell} isn't a document's number: write ${whole[1]!}`);
  }
  if (column !== "item_id" && column !== "text" && isMissingWord(cell))
    issues.add(
      { row, column },
      "ambiguous_word",
      `${quoted(cell)} may be a name, or none: leave the cell empty for none`,
    );
  return cell;
}

export const ITEM_FIELDS = ["item_id", "scenario", "subscenario", "text", "hash", "task", "doc_id"] as const;

/** An item as the line describes it, absent fields left out; null, with the issues noted, where it breaks a rule. */
function parseItem({ row, fields }: ItemRecord, issues: DataIssues): ItemInfo | null {
  const item: Record<string, unknown> = {};
  let broken = false;
  for (const column of ITEM_FIELDS) {
    const value = fields[column] ?? undefined;
    const problem = fieldProblem(column, value);
    if (problem) {
      issues.add({ row, column }, problem.rule, problem.message);
      broken = true;
    } else if (value !== undefined) item[column] = value;
  }
  return broken ? null : (item as unknown as ItemInfo);
}

function fieldProblem(column: (typeof ITEM_FIELDS)[number], value: unknown): { rule: string; message: string } | null {
  if (value === undefined)
    return column === "item_id" || column === "scenario"
      ? { rule: "missing_field", message: `the item has no ${column}` }
      : null;
  if (column === "doc_id" && typeof value === "number") return null;
  if (typeof value !== "string") {
    const kind = column === "doc_id" ? "text or a number" : "text";
    return { rule: "wrong_type", message: `${column} must be ${kind}, got ${jsonKind(value)}` };
  }
  if (column === "hash") {
    const message = hashProblem(value);
    return message === null ? null : { rule: "invalid_hash", message };
  }
  if (column === "item_id" || column === "scenario" || column === "subscenario") {
    const problem = idProblem(value);
    return problem === null ? null : { rule: "invalid_id", message: `${problem}, got ${quoted(value)}` };
  }
  return null;
}

/** Says why a text is no content hash; null for one that is. */
export function hashProblem(value: string): string | null {
  return SHA256.test(value) ? null : "a hash is SHA-256, 64 lowercase hex digits";
}

/**
 * Items where nothing describes them: the scenario is the part of the id before its last "/" if every id has one, else
 * all are one scenario `all`.
 */
export function defaultItems(ids: readonly string[]): { items: ItemInfo[]; remark: string } {
  const isDivided = ids.every((id) => id.lastIndexOf("/") >= 1);
  const items = ids.map((id) => ({ item_id: id, scenario: isDivided ? id.slice(0, id.lastIndexOf("/")) : "all" }));
  const scenarios = [...new Set(items.map(({ scenario }) => scenario))];
  const assumed = isDivided
    ? `an item's scenario is the part of its id before the last "/", ${scenarios.length} in all: ${firstFew(scenarios)}`
    : `all ${ids.length} items are one scenario, "all"`;
  return { items, remark: `no items file was given: ${assumed}` };
}

/** Letters in which a misspelt name differs at most, and those that it has at least. */
const MOST_EDITS = 2;
const LEAST_LETTERS = 6;

/** Names that fields have elsewhere, by ours. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  subscenario: ["subset", "subtask", "subject", "category", "group", "topic"],
  hash: ["sha256", "contenthash", "itemhash"],
};

/**
 * Fields of a file that look meant and aren't read: another spelling, or another name, of one that would be and isn't there.
 */
export function unusedFields(file: string, names: readonly string[], read: readonly string[]): BorderFinding[] {
  const absent = read.filter((name) => !names.includes(name));
  return names.flatMap((name) => {
    if (read.includes(name)) return [];
    const letters = lettersOf(name);
    const meant = absent.find(
      (field) =>
        lookUp(ELSEWHERE, field)?.includes(letters) === true ||
        lettersOf(field) === letters ||
        (letters.length >= LEAST_LETTERS && lettersBetween(lettersOf(field), letters) <= MOST_EDITS),
    );
    if (meant === undefined) return [];
    const message = `field ${quoted(name)} isn't read: if it has the ${meant}, call it ${meant}`;
    return [{ code: "unused_field", file, names: [name], message }];
  });
}

/** Whether a field is an item's weight, in any spelling. */
export function isWeight(name: string): boolean {
  return /^(?:(?:item|sample|question)?weights?|weighting)$/.test(lettersOf(name));
}

/** Weights of items, which a bundle hasn't: said where the weighting gives them, refused where nothing does. */
export function unusedWeights(
  file: string,
  items: readonly ItemInfo[],
  weights: ReadonlyMap<string, unknown>,
): BorderFinding[] {
  const values = items.map((item) => {
    const weight = weights.get(item.item_id) ?? null;
    return typeof weight === "string" ? decimalNumber(weight.trim()) : typeof weight === "number" ? weight : NaN;
  });
  if (values.every(Number.isNaN)) return [];
  const order = Array.from(groupedOrder(items));
  const weighting = values.every((weight) => weight > 0)
    ? givenWeighting(
        order.map((i) => items[i]!),
        order.map((i) => values[i]!),
      )
    : null;
  if (weighting === "subscenarios") return [];
  const finding = { code: "unused_field", file, names: ["weight"] };
  if (weighting === "items")
    return [
      { ...finding, message: 'weights aren\'t read: these count each item the same, as `weighting: "items"` does' },
    ];
  const message =
    "weights aren't read, and these are neither the same for all items of a scenario nor the same for all its subscenarios: a bundle keeps no others; leave the field out";
  return [{ ...finding, refused: true, message }];
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
