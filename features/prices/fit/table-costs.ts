import { type Cost, COST_KINDS, type CostKind } from "anchoreval/internal/logs/cost";
import { type DataIssues, jsonKind, quoted } from "anchoreval/internal/tables/data-issues";
import { jsonPrice, priceText } from "anchoreval/internal/features/prices/sdk/price-reader";
import { isMissingWord } from "anchoreval/internal/tables/score-reader";
import { checkColumn } from "../../../offline-trainer/src/matrix/readers/chosen-rows.ts";

/** Columns of a long table that say together what an answer cost. */
export interface CostColumns {
  readonly kind: CostKind;
  readonly columns: readonly string[];
  /** They are two times, and the cost is what passes from the second to the first; else it is their sum. */
  readonly isSpan: boolean;
}

/** The columns of `tokens=COLUMN`, `tokens=INPUT+OUTPUT`, `seconds=END-START`. */
export function costColumns(
  named: Readonly<Partial<Record<CostKind, string>>>,
  names: readonly string[],
  issues: DataIssues,
): CostColumns[] {
  return COST_KINDS.flatMap((kind): CostColumns[] => {
    const text = named[kind];
    if (text === undefined) return [];
    if (names.includes(text)) return [{ kind, columns: [text], isSpan: false }];
    const ends =
      kind === "seconds" ? spans(text).find((span) => span.every((name) => names.includes(name))) : undefined;
    if (ends) return [{ kind, columns: ends, isSpan: true }];
    const columns = text.split("+");
    for (const name of columns) checkColumn(name, kind, names, issues);
    return [{ kind, columns, isSpan: false }];
  });
}

/** `END-START`, wherever it may be parted: names of columns have hyphens, too. */
function spans(text: string): [string, string][] {
  return Array.from(text.matchAll(/-/g), ({ index }) => [text.slice(0, index), text.slice(index + 1)]);
}

/**
 * Cost of a row's answer, of each kind of which no column is empty; 0 is none, as tables have it of what wasn't counted.
 */
export function costOf(
  costs: readonly CostColumns[],
  values: readonly unknown[],
  row: number,
  issues: DataIssues,
): Cost {
  const took: Partial<Record<CostKind, number>> = {};
  let at = 0;
  for (const { kind, columns, isSpan } of costs) {
    const read = isSpan ? secondsAt : priceOf;
    const amounts = columns.map((column, k) => read(values[at + k], { row, column }, issues));
    at += columns.length;
    const cost = isSpan ? amounts[0]! - amounts[1]! : amounts.reduce((sum, next) => sum + next, 0);
    if (cost < 0 && isSpan) {
      const message = `it is ${-cost} seconds before ${quoted(columns[1]!)}: seconds are from START to END, END-START`;
      issues.add({ row, column: columns[0]! }, "out_of_range", message);
    } else if (cost > 0) took[kind] = cost;
  }
  return took;
}

interface Cell {
  readonly row: number;
  readonly column: string;
}

function priceOf(value: unknown, place: Cell, issues: DataIssues): number {
  return typeof value === "string" ? priceText(value, place, issues) : jsonPrice(value, place, issues);
}

/** A time with its date, of which one without a zone is in UTC. */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** A time in seconds since 1970, which a table has as such or by ISO 8601; NaN for none. */
function secondsAt(value: unknown, place: Cell, issues: DataIssues): number {
  if (typeof value === "number") return value;
  if (value instanceof Date) return value.getTime() / 1000;
  if (value === null || value === undefined) return NaN;
  if (typeof value === "string") {
    const text = value.trim();
    if (text === "" || isMissingWord(text)) return NaN;
    if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
    const time = TIME.exec(text);
    const milliseconds = time ? Date.parse(text.replace(" ", "T") + (time[3] === undefined ? "Z" : "")) : NaN;
    if (!Number.isNaN(milliseconds)) return milliseconds / 1000;
  }
  const got = typeof value === "string" ? quoted(value) : jsonKind(value);
  issues.add(place, "not_a_time", `a time is a date with its time by ISO 8601, or seconds since 1970, got ${got}`);
  return NaN;
}
