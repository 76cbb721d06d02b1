import { idProblem, type Weighting } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError, checkNames, invalidOption } from "anchoreval/internal/core/errors";
import { COST_KINDS } from "anchoreval/internal/logs/cost";
import { DataIssues, jsonKind, type Place, quoted } from "anchoreval/internal/tables/data-issues";
import { decimalNumber, type ScoreOptions, scoreReader } from "anchoreval/internal/tables/score-reader";
import { defaultItems, hashProblem } from "../../../offline-trainer/src/matrix/items-file.ts";
import { checkColumn, chosenRows, isNamedJson } from "../../../offline-trainer/src/matrix/readers/chosen-rows.ts";
import { noteUnread, putScore } from "../../../offline-trainer/src/matrix/readers/long-table.ts";
import {
  type CellTrials,
  RepeatedScores,
  TRIAL_COLUMN,
  assembleMatrix,
  checkTable,
  ownCopy,
  ScoreTable,
} from "../../../offline-trainer/src/matrix/readers/score-table.ts";
import type { ItemInfo, ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { givenWeighting } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { type CostColumns, costColumns, costOf } from "../../prices/fit/table-costs.ts";
import { AnswerCosts, type TypicalPrices } from "../../prices/fit/typical-prices.ts";

/** A long table as read: its scores, its descriptions of items, and remarks for the user. */
export interface ImportedTable {
  /** Items grouped by scenario and subscenario. */
  readonly matrix: ResponseMatrix;
  /** The weighting that the column of weights implies; null without one. */
  readonly weighting: Weighting | null;
  readonly remarks: readonly string[];
  /** Of a table with a column of trials: what every cell of the matrix is the mean of. */
  readonly trials?: readonly CellTrials[];
  /** Of a table that says what answers cost: what items do. */
  readonly prices?: readonly TypicalPrices[];
}

/** Columns that describe the item, the same in all of its rows. */
const FACTS = ["scenario", "subscenario", "weight", "text", "hash"] as const;
type Fact = (typeof FACTS)[number];

/** The table's description of an item, by its facts, and the row where it first stands. */
interface KnownItem {
  readonly row: number;
  readonly facts: readonly (string | number | null)[];
}

/** All that a table says of its items, as it is read. */
interface Descriptions {
  readonly columns: TableColumns;
  /** Those that the table has. */
  readonly facts: readonly Fact[];
  itemColumns: readonly string[];
  readonly issues: DataIssues;
  /** In the order of the table's items. */
  readonly items: KnownItem[];
}

/**
 * Reads a long table, a row a score, in CSV, JSON lines or Parquet, whose columns are called as the user says.
 * @throws AnchorEvalError `invalid_data` naming file, row, column and rule: a column that isn't there, with those that
 * are; an item that is described in two ways; a score out of range; `unsupported` for weights that no weighting gives
 * @example await readLongTable("scores.parquet", { model: "llm", item: "task+doc_id", score: "acc", scenario: "task" })
 */
export async function readLongTable(
  path: string,
  columns: TableColumns,
  options: ScoreOptions = {},
): Promise<ImportedTable> {
  checkNames(options, { scoreRange: "list" });
  const issues = new DataIssues(path, isNamedJson(path) ? "lines" : "table");
  const reader = scoreReader(options);
  const table = new ScoreTable(issues, reader);
  const costs = new AnswerCosts();
  const beside: { trial: string | null; costs: readonly CostColumns[] } = { trial: null, costs: [] };
  const remarks: string[] = [];
  const facts = FACTS.filter((role) => columns[role] !== undefined);
  const described: Descriptions = { columns, facts, itemColumns: [], issues, items: [] };
  const choose = (names: readonly string[]): string[] => {
    const itemColumns = names.includes(columns.item) ? [columns.item] : columns.item.split("+");
    described.itemColumns = itemColumns;
    for (const role of ["model", "item", "score", "trial", ...FACTS] as const)
      for (const name of role === "item" ? itemColumns : [columns[role] ?? null])
        if (name !== null) checkColumn(name, role, names, issues);
    beside.trial = columns.trial ?? (names.includes(TRIAL_COLUMN) ? TRIAL_COLUMN : null);
    if (beside.trial !== null) table.repeats = new RepeatedScores(table, beside.trial);
    beside.costs = costColumns(columns, names, issues);
    const chosen = [
      ...[columns.model, columns.score, ...facts.map((role) => columns[role]!), ...itemColumns],
      ...beside.costs.flatMap((cost) => cost.columns),
      ...(beside.trial === null ? [] : [beside.trial]),
    ];
    noteUnread(names, chosen, remarks);
    return chosen;
  };
  for await (const rows of chosenRows(path, choose, issues))
    for (const { row, values } of rows) {
      const [modelValue, scoreValue, ...rest] = values;
      const model = idOf(modelValue, { row, column: columns.model }, issues);
      const parts = described.itemColumns.map((column, k) => idOf(rest[facts.length + k], { row, column }, issues));
      if (model === null || parts.includes(null)) continue;
      const item = parts.join("/");
      if (!describeItem(described, table.item(item), item, row, rest)) continue;
      const score = typeof scoreValue === "string" ? reader.fromText(scoreValue) : reader.fromJson(scoreValue);
      putScore({ row, model, item, score, ...(beside.trial !== null && { trial: values.at(-1) }) }, table);
      costs.add(model, item, costOf(beside.costs, rest.slice(facts.length + parts.length), row, issues));
    }
  issues.refuse();
  const trials = table.repeats?.finish() ?? [];
  remarks.push(...(table.repeats?.remarks() ?? []));
  issues.refuse();
  checkTable(table, 1); // as few as were run again
  const assumed = defaultItems(table.items);
  if (!columns.scenario) remarks.push(assumed.remark.replace(/^no items file/, "no column of scenarios"));
  const items = assumed.items.map(({ item_id: id, scenario }, i): ItemInfo => {
    const entries = facts.map((role, k) => [role, described.items[i]!.facts[k]] as const);
    const said = entries.filter(([role, value]) => role !== "weight" && value !== null);
    return { item_id: id, scenario, ...Object.fromEntries(said) };
  });
  const matrix = assembleMatrix(table, items);
  const priced = costs.prices(items);
  return {
    matrix,
    weighting: columns.weight === undefined ? null : weightingOf(path, matrix, table, described),
    remarks: [...remarks, ...priced.remarks],
    ...(trials.some(({ scores }) => scores.length > 1) && { trials }),
    prices: priced.prices,
  };
}

function weightingOf(path: string, { items }: ResponseMatrix, table: ScoreTable, described: Descriptions): Weighting {
  const at = described.facts.indexOf("weight");
  const weights = items.map(({ item_id: id }) => described.items[table.item(id)!]!.facts[at] as number);
  const weighting = givenWeighting(items, weights);
  if (weighting !== null) return weighting;
  throw new AnchorEvalError(
    "unsupported",
    `${path}: the weights are neither the same for all items of a scenario nor the same for all its subscenarios: a bundle keeps no others`,
  );
}

/**
 * Notes what a row says of its item, and the issue where it breaks a rule.
 * @returns whether it says no other than the item's first row
 */
function describeItem(
  { columns, facts, itemColumns, issues, items }: Descriptions,
  at: number | undefined,
  item: string,
  row: number,
  values: readonly unknown[],
): boolean {
  const said = facts.map((role, k) => factOf(role, values[k], { row, column: columns[role]! }, issues));
  const first = at === undefined ? undefined : items[at];
  if (!first) {
    facts.forEach((role, k) => {
      const value = said[k];
      if (typeof value !== "string" || role === "text") return;
      const problem = role === "hash" ? hashProblem(value) : idProblem(value);
      const rule = role === "hash" ? "invalid_hash" : "invalid_id";
      if (problem !== null) issues.add({ row, column: columns[role]! }, rule, `${problem}, got ${quoted(value)}`);
    });
    items.push({ row, facts: said.map((fact) => (typeof fact === "string" ? ownCopy(fact) : fact)) });
    return true;
  }
  const other = facts.find((_, k) => said[k] !== first.facts[k]);
  if (other === undefined) return true;
  const column = columns[other]!;
  const hint =
    other === "scenario" || other === "subscenario"
      ? `; where ids begin anew in each ${other}, name both columns: item=${column}+${itemColumns.join("+")}`
      : "";
  const message = `item ${quoted(item)} has another ${other} in ${issues.rowName(first.row)}${hint}`;
  issues.add({ row, column }, "contradiction", message);
  return false;
}

/** Text, or a whole number as text; null, with the issue noted, for anything else. */
function idOf(value: unknown, place: Place, issues: DataIssues): string | null {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  issues.add(place, "wrong_type", `it must be text or a whole number, got ${value === "" ? "none" : jsonKind(value)}`);
  return null;
}

/** A fact of an item; null for none. */
function factOf(role: Fact, value: unknown, place: Place, issues: DataIssues): string | number | null {
  const absent = value === undefined || value === null || value === "";
  if (role === "weight") {
    const weight = typeof value === "string" ? decimalNumber(value) : value;
    if (!absent && typeof weight === "number" && Number.isFinite(weight) && weight > 0) return weight;
    issues.add(place, "not_a_number", `a weight must be a number above 0, got ${absent ? "none" : jsonKind(value)}`);
    return null;
  }
  if (absent && role !== "scenario") return null;
  if (role === "text") return typeof value === "string" ? value : JSON.stringify(value);
  return idOf(value, place, issues);
}

/** Roles that a column of a long table may have. */
export const COLUMN_ROLES = ["model", "item", "score", "trial", ...FACTS, ...COST_KINDS] as const;

/** Role of a column of a long table. */
type ColumnRole = (typeof COLUMN_ROLES)[number];

/**
 * A long table's columns by what they hold; the item's may be several, joined by +, and so may those of a cost, which is then
 * their sum; of seconds END-START are two times.
 */
export type TableColumns = Readonly<Partial<Record<ColumnRole, string>>> &
  Readonly<Record<"model" | "item" | "score", string>>;

const USUAL = { model: "model", item: "item_id", score: "score" } as const;

/**
 * Reads `--columns`: `ROLE=COLUMN`, several by commas or by giving the option again.
 * @example parseTableColumns(["model=llm,item=task+doc_id"]) // { model: "llm", item: "task+doc_id", score: "score" }
 */
export function parseTableColumns(values: readonly string[]): TableColumns {
  const columns: Partial<Record<ColumnRole, string>> = {};
  for (const part of values.flatMap((value) => value.split(","))) {
    const equals = part.indexOf("=");
    const role = COLUMN_ROLES.find((name) => name === part.slice(0, Math.max(equals, 0)).trim());
    const column = part.slice(equals + 1);
    if (role === undefined || column === "")
      throw invalidOption(`\`columns\` must be ROLE=COLUMN,…, where ROLE is ${COLUMN_ROLES.join(", ")}; got ${part}`);
    if (columns[role] !== undefined)
      throw invalidOption(`\`columns\` names ${role} twice: ${columns[role]} and ${column}`);
    columns[role] = column;
  }
  if (columns.subscenario !== undefined && columns.scenario === undefined)
    throw invalidOption("`columns`: a subscenario is part of a scenario: name its column too");
  return { ...USUAL, ...columns };
}
