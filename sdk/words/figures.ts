/** A fraction in points with one decimal; a minus sign, no negative zero. @example points(0.6243) // "62.4" */
export function points(score: number): string {
  return signed((100 * score).toFixed(1));
}

/** A difference in points with its sign. @example signedPoints(-0.0123) // "−1.2" */
export function signedPoints(difference: number): string {
  const text = points(difference);
  return Number(text) > 0 ? `+${text}` : text;
}

/** A share in percent, with one decimal where it needs it. @example percent(0.95) // "95 %" */
export function percent(share: number): string {
  const value = 100 * share;
  return `${Number.isInteger(Math.round(value * 1e6) / 1e6) ? Math.round(value) : value.toFixed(1)} %`;
}

/**
 * A share as a whole percentage; what isn't all never reads 100 %, what isn't none never 0 %.
 * @example wholePercent(0.997) // "over 99 %"
 */
export function wholePercent(share: number): string {
  const rounded = Math.round(100 * share);
  const shown = share < 1 && rounded === 100 ? "over 99" : share > 0 && rounded === 0 ? "under 1" : String(rounded);
  return `${shown} %`;
}

/** Two decimals with a minus sign. @example decimals(-1.5) // "−1.50" */
export function decimals(value: number): string {
  return signed(value.toFixed(2));
}

/** Three decimals with a minus sign. @example thousandths(-0.0102) // "−0.010" */
export function thousandths(value: number): string {
  return signed(value.toFixed(3));
}

/** A whole number with thin spaces between thousands. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A number and its noun. @example counted(1, "item") // "1 item" */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** A list in words. @example listed(["10", "30", "50"]) // "10, 30 and 50" */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)!}`;
}

/** Rows as aligned columns, two spaces apart. @param align - `l` or `r` for each column */
export function textTable(rows: readonly (readonly string[])[], align: string): string[] {
  const widths = Array.from(align, (_, column) => Math.max(0, ...rows.map((row) => visibleLength(row[column] ?? ""))));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const space = " ".repeat(Math.max(0, widths[column]! - visibleLength(cell)));
        return align[column] === "r" ? space + cell : cell + space;
      })
      .join("  ")
      .trimEnd(),
  );
}

/** Records as {@link textTable}, a row each; a column has a heading, `l` or `r`, and its cells. */
export function recordTable<T>(
  records: readonly T[],
  columns: readonly (readonly [heading: string, align: "l" | "r", cell: (record: T) => string])[],
): string[] {
  const rows = records.map((record) => columns.map(([, , cell]) => cell(record)));
  return textTable([columns.map(([heading]) => heading), ...rows], columns.map(([, align]) => align).join(""));
}

function signed(text: string): string {
  return text.replace("-", Number(text) === 0 ? "" : "−");
}

/** Characters that a person sees, near enough for a table. */
function visibleLength(text: string): number {
  return Array.from(text).length;
}

/** A price, whole from 1000 on, else of three digits, and its unit: seconds are minutes from two on, hours from two on. */
function inUnit(price: number, unit: string | null): readonly [figure: string, unit: string] {
  if (unit === "seconds" && price >= 7200) return inUnit(price / 3600, "hours");
  if (unit === "seconds" && price >= 120) return inUnit(price / 60, "minutes");
  const figure = price >= 1000 ? count(Math.round(price)) : String(Number(price.toPrecision(3)));
  return [figure, unit === null ? "" : ` ${unit}`];
}

/** A price with its unit. @example priceWords(2400, "seconds") // "40 minutes" */
export function priceWords(price: number, unit: string | null): string {
  return inUnit(price, unit).join("");
}

/** @example partWords(31, 310, "usd") // "31 of 310 usd" */
export function partWords(price: number, whole: number, unit: string | null): string {
  const [[figure, its], [all, word]] = [inUnit(price, unit), inUnit(whole, unit)];
  return `${figure}${its === word ? "" : its} of ${all}${word}`;
}
