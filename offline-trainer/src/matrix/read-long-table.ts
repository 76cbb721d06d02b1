import { idProblem, SHA256, type Weighting } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { DataIssues, firstFew, jsonKind, quoted } from "anchoreval/internal/tables/data-issues";
import { type ScoreOptions, scoreReader, type ScoreReader } from "anchoreval/internal/tables/score-reader";
import { defaultItems } from "./items-file.ts";
import { checkColumn, chosenRows, isNamedJson } from "./readers/chosen-rows.ts";
import { putScore } from "./readers/long-table.ts";
import { assembleMatrix, checkTable, ownCopy, ScoreTable } from "./readers/score-table.ts";
import { groupedOrder, type ItemInfo, type ResponseMatrix } from "./response-matrix.ts";
import { givenWeighting } from "./scenarios.ts";

/** A long table as read: its scores, its descriptions of items, and remarks for the user. */
export interface ImportedTable {
  /** Items grouped by scenario and subscenario. */
  readonly matrix: ResponseMatrix;
  /** The weighting that the column of weights implies; null without one. */
  readonly weighting: Weighting | null;
  readonly remarks: readonly string[];
}

/** The table's description of an item, and the row where it first stands. */
interface KnownItem {
  readonly row: number;
  readonly facts: readonly unknown[];
}

/** Columns that describe the item, the same in all of its rows. */
const FACTS = ["scenario", "subscenario", "weight", "text", "hash"] as const;
type Fact = (typeof FACTS)[number];

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
  const issues = new DataIssues(path, isNamedJson(path) ? "lines" : "table");
  const table = new ScoreTable(issues);
  const reader = scoreReader(options);
  const remarks: string[] = [];
  const facts = FACTS.filter((role) => columns[role] !== undefined);
  let itemColumns: readonly string[] = [];
  const known: KnownItem[] = [];
  const choose = (names: readonly string[]): string[] => {
    itemColumns = names.includes(columns.item) ? [columns.item] : columns.item.split("+");
    for (const role of COLUMN_ROLES)
      for (const name of role === "item" ? itemColumns : [columns[role] ?? null])
        if (name !== null) checkColumn(name, role, names, issues);
    const chosen = [columns.model, columns.score, ...facts.map((role) => columns[role]!), ...itemColumns];
    const unread = names.filter((name) => !chosen.includes(name));
    if (unread.length > 0) remarks.push(`columns that are not read: ${firstFew(unread)}`);
    return chosen;
  };
  for await (const rows of chosenRows(path, choose, issues))
    for (const { row, values } of rows) {
      const [modelValue, scoreValue, ...rest] = values;
      const text = (column: string, value: unknown): string | null => idOf(value, { row, column }, issues);
      const model = text(columns.model, modelValue);
      const parts = itemColumns.map((column, k) => text(column, rest[facts.length + k]));
      if (model === null || parts.includes(null)) continue;
      const item = parts.join("/");
      const said = facts.map((role, k) => factOf(role, rest[k], { row, column: columns[role]! }, issues));
      const at = table.item(item);
      const first = at === undefined ? undefined : known[at];
      if (first && isContradiction(item, first, said, { row, facts, columns, itemColumns }, issues)) continue;
      if (!first) {
        checkFacts(said, { row, facts, columns }, issues);
        known.push({ row, facts: said.map((fact) => (typeof fact === "string" ? ownCopy(fact) : fact)) });
      }
      const score = typeof scoreValue === "string" ? textScore(scoreValue, reader) : reader.fromJson(plain(scoreValue));
      putScore({ row, model, item, score }, table, issues);
    }
  issues.refuse();
  checkTable(table, issues, 1); // as few as were run again
  const described = describe(table.items, known, facts);
  if (!columns.scenario)
    remarks.push(defaultItems(table.items).remark.replace(/^no items file/, "no column of scenarios"));
  const order = Array.from(groupedOrder(described));
  const items = order.map((i) => described[i]!);
  return {
    matrix: assembleMatrix(table, items),
    weighting: columns.weight === undefined ? null : weightingOf(path, items, order, known, facts.indexOf("weight")),
    remarks,
  };
}

function describe(ids: readonly string[], known: readonly KnownItem[], facts: readonly Fact[]): ItemInfo[] {
  const assumed = facts.includes("scenario") ? null : defaultItems(ids).items;
  return ids.map((id, index) => {
    const said = facts.flatMap((role, k) => {
      const value = known[index]!.facts[k];
      return role === "weight" || value === null ? [] : [[role, value] as const];
    });
    return {
      item_id: id,
      ...(assumed && { scenario: assumed[index]!.scenario }),
      ...Object.fromEntries(said),
    } as ItemInfo;
  });
}

function weightingOf(
  path: string,
  items: readonly ItemInfo[],
  order: readonly number[],
  known: readonly KnownItem[],
  at: number,
): Weighting {
  const weights = order.map((index) => known[index]!.facts[at] as number);
  const weighting = givenWeighting(items, weights);
  if (weighting !== null) return weighting;
  throw new AnchorEvalError(
    "unsupported",
    `${path}: the weights are neither the same for all items of a scenario nor the same for all its subscenarios: a bundle keeps no others`,
  );
}

interface Place {
  readonly row: number;
  readonly column: string;
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
    const weight = typeof value === "string" ? Number(value) : value;
    if (!absent && typeof weight === "number" && Number.isFinite(weight) && weight > 0) return weight;
    issues.add(place, "not_a_number", `a weight must be a number above 0, got ${absent ? "none" : jsonKind(value)}`);
    return null;
  }
  if (absent && role !== "scenario") return null;
  if (role === "text") return typeof value === "string" ? value : JSON.stringify(value);
  return idOf(value, place, issues);
}

/** Notes what breaks a rule in an item's facts. */
function checkFacts(
  said: readonly unknown[],
  { row, facts, columns }: { row: number; facts: readonly Fact[]; columns: TableColumns },
  issues: DataIssues,
): void {
  facts.forEach((role, k) => {
    const value = said[k];
    if (typeof value !== "string" || role === "text" || role === "weight") return;
    const problem = role === "hash" ? hashProblem(value) : idProblem(value);
    if (problem !== null)
      issues.add(
        { row, column: columns[role]! },
        role === "hash" ? "invalid_hash" : "invalid_id",
        `${problem}, got ${quoted(value)}`,
      );
  });
}

function hashProblem(value: string): string | null {
  return SHA256.test(value) ? null : "a hash is SHA-256, 64 lowercase hex digits";
}

/** Whether an item is described otherwise than in its first row; then the issue is noted. */
function isContradiction(
  item: string,
  first: KnownItem,
  said: readonly unknown[],
  {
    row,
    facts,
    columns,
    itemColumns,
  }: { row: number; facts: readonly Fact[]; columns: TableColumns; itemColumns: readonly string[] },
  issues: DataIssues,
): boolean {
  const k = said.findIndex((value, fact) => value !== first.facts[fact]);
  if (k < 0) return false;
  const role: ColumnRole = facts[k]!;
  const hint =
    role === "scenario" || role === "subscenario"
      ? `; where ids begin anew in each ${role}, name both columns: item=${columns[role]!}+${itemColumns.join("+")}`
      : "";
  issues.add(
    { row, column: columns[role]! },
    "contradiction",
    `item ${quoted(item)} has another ${role} in ${issues.rowName(first.row)}${hint}`,
  );
  return true;
}

/** CSV of other programs has True and False. */
function textScore(cell: string, reader: ScoreReader): ReturnType<ScoreReader["fromText"]> {
  const score = reader.fromText(cell);
  const truth = typeof score === "object" ? /^\s*(?:(true)|false)\s*$/i.exec(cell) : null;
  return truth ? reader.fromJson(truth[1] === undefined ? 0 : 1) : score;
}

function plain(value: unknown): unknown {
  return typeof value === "boolean" ? Number(value) : value;
}

/** Roles that a column of a long table may have. */
export const COLUMN_ROLES = ["model", "item", "score", "scenario", "subscenario", "weight", "text", "hash"] as const;

/** Role of a column of a long table. */
export type ColumnRole = (typeof COLUMN_ROLES)[number];

/** A long table's columns by what they hold; the item's may be several, joined by +. */
export type TableColumns = Readonly<Partial<Record<ColumnRole, string>>> &
  Readonly<Record<"model" | "item" | "score", string>>;

const USUAL = { model: "model", item: "item_id", score: "score" } as const;

/**
 * Reads `--columns`: `ROLE=COLUMN`, several by commas or by giving the option again.
 * @throws AnchorEvalError `invalid_option`
 * @example parseTableColumns(["model=llm,item=task+doc_id"]) // { model: "llm", item: "task+doc_id", score: "score" }
 */
export function parseTableColumns(values: readonly string[]): TableColumns {
  const columns: Partial<Record<ColumnRole, string>> = {};
  for (const part of values.flatMap((value) => value.split(","))) {
    const equals = part.indexOf("=");
    const role = part.slice(0, Math.max(equals, 0)).trim();
    const column = part.slice(equals + 1);
    if (!isRole(role) || column === "")
      throw new AnchorEvalError(
        "invalid_option",
        `--columns must be ROLE=COLUMN,…, where ROLE is ${COLUMN_ROLES.join(", ")}; got ${part}`,
      );
    if (columns[role] !== undefined)
      throw new AnchorEvalError("invalid_option", `--columns names ${role} twice: ${columns[role]} and ${column}`);
    columns[role] = column;
  }
  if (columns.subscenario !== undefined && columns.scenario === undefined)
    throw new AnchorEvalError("invalid_option", "--columns: a subscenario is part of a scenario: name its column too");
  return { ...USUAL, ...columns };
}

function isRole(name: string): name is ColumnRole {
  return (COLUMN_ROLES as readonly string[]).includes(name);
}
