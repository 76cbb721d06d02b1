import { type DataIssues, jsonKind, quoted } from "../../../sdk/tables/data-issues.ts";
import { decimalNumber, isMissingWord } from "../../../sdk/tables/score-reader.ts";

/** A price in a cell of a table of text; NaN for none, and for one that breaks a rule, which is noted. */
export function priceText(cell: string, place: { row: number; column: string }, issues: DataIssues): number {
  if (cell.trim() === "" || isMissingWord(cell)) return NaN;
  const value = cell.includes(",") ? NaN : decimalNumber(cell.trim()); // 1,500 may be a thousand or one and a half
  if (Number.isNaN(value)) issues.add(place, "not_a_number", `a price is a number, at least 0, got ${quoted(cell)}`);
  return checkedPrice(value, cell, place, issues);
}

/** A price as JSON has it; NaN as of {@link priceText}. */
export function jsonPrice(value: unknown, place: { row?: number; column: string }, issues: DataIssues): number {
  if (value === null || value === undefined) return NaN;
  if (typeof value === "number") return checkedPrice(value, String(value), place, issues);
  issues.add(place, "not_a_number", `a price is a number, at least 0, got ${jsonKind(value)}`);
  return NaN;
}

function checkedPrice(
  value: number,
  text: string,
  place: { row?: number; column: string },
  issues: DataIssues,
): number {
  if (value < 0 || value === Infinity)
    issues.add(place, "out_of_range", `a price is a number, at least 0, got ${quoted(text)}`);
  return value;
}
