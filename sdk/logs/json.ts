import type { LineBatch } from "../tables/chunk-lines.ts";
import type { DataIssues } from "../tables/data-issues.ts";
import { isObject, parseWithNaN } from "../tables/json-records.ts";

/** An object of a log, of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of what is an object; none of anything else, which is how logs lack a part. */
export function record(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A text that isn't empty; null for anything else. */
export function filledText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** The fields of an object that are numbers. @example numbersOf({ acc: 0.5, alias: "t" }) // Map { "acc" => 0.5 } */
export function numbersOf(value: unknown): Map<string, number> {
  return new Map(
    Object.entries(record(value)).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

/** The fields of an object that are texts and not empty. @param names - of those, these @default all */
export function textsOf(value: unknown, names?: readonly string[]): Map<string, string> {
  return new Map(
    Object.entries(record(value)).filter(
      (entry): entry is [string, string] => filledText(entry[1]) !== null && names?.includes(entry[0]) !== false,
    ),
  );
}

/** A version, which logs have as a number or as text. */
export function versionText(value: unknown): string | null {
  return typeof value === "number" || typeof value === "string" ? String(value) : null;
}

/** A name that logs have as text or as a whole number; null for anything else, and for an empty one. */
export function nameText(value: unknown): string | null {
  return Number.isSafeInteger(value) ? String(value) : filledText(value);
}

/** The settings that aren't null, as canonical JSON; null where there are none. */
export function settingsText(value: unknown, without: readonly string[] = []): string | null {
  const entries = Object.entries(record(value)).filter(([name, entry]) => entry !== null && !without.includes(name));
  return entries.length === 0 ? null : canonicalJson(Object.fromEntries(entries));
}

/** JSON with sorted keys and without spaces, so that the same value has the same text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
      .map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`)
      .join(",")}}`;
  return value === undefined ? "null" : JSON.stringify(value);
}

/**
 * Parses JSON as Python writes it: bare `NaN`, which JSON doesn't have, becomes null, `Infinity` and `-Infinity` what they are. A byte order
 * mark before it is left out.
 * @example parsePythonJson('{"acc": NaN}') // { acc: null }
 */
export function parsePythonJson(marked: string): unknown {
  return parseWithNaN(marked.startsWith("\uFEFF") ? marked.slice(1) : marked, true);
}

/** The lines of a log that aren't blank, with their numbers from 1. */
export async function* filledLines(
  batches: AsyncIterable<LineBatch>,
): AsyncGenerator<{ readonly row: number; readonly text: string }, void, undefined> {
  for await (const { first, lines } of batches)
    for (const [index, text] of lines.entries()) if (text.trim() !== "") yield { row: first + index, text };
}

/** A line of a log that is a JSON object; null, with the issue noted, for another. */
export function parseLine(text: string, row: number, issues: DataIssues): Fields | null {
  let value: unknown;
  try {
    value = parsePythonJson(text);
  } catch {
    issues.add({ row }, "malformed_json", "the line is not valid JSON");
    return null;
  }
  if (isObject(value)) return value;
  issues.add({ row }, "wrong_type", "the line is not a JSON object");
  return null;
}

/** `2024-11-26T10-47-32.305387` and ISO 8601 in its usual forms: a day, with a time, with a fraction, with a zone. */
const DATE =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d)[:-](\d\d)(?:[:-](\d\d)(?:[.,](\d+))?)?)?\s*(Z|UTC|GMT|[+-]\d\d:?(?:\d\d)?)?$/i;
/** `20260301`, `20260301T120000Z`, and `20260301_120000` as folders are called: its beginning. */
const COMPACT = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:[T_-](\d\d)(\d\d)(\d\d)?)?(?=$|[.,Z+\s-])/i;
const SECONDS = /^(\d+)(?:\.(\d+))?$/;
/** Digits of seconds since 1970 until the year 5138; three more are milliseconds, then micro- and nanoseconds. */
const SECONDS_DIGITS = 11;

/**
 * An instant as text that sorts: ISO 8601 in UTC, its fraction as the log has it. Dates without a zone are taken as UTC.
 * @param value - ISO 8601, as file names have it too, or seconds since 1970 or their thousandths, as text or number
 * @returns empty for anything else: an unknown date is older than every other
 * @example sortableDate("2026-03-01T09:00:00+05:30") // "2026-03-01T03:30:00"
 */
export function sortableDate(value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  const trimmed = text.replace(
    COMPACT,
    (_, ...[y, m, d, h = "00", min = "00", s = "00"]) => `${y}-${m}-${d}T${h}:${min}:${s}`,
  );
  const [, whole, part = ""] = SECONDS.exec(trimmed) ?? [];
  if (whole !== undefined) {
    const finer = 3 * Math.ceil(Math.max(0, whole.length - SECONDS_DIGITS) / 3);
    const at = whole.length - finer;
    return instant(Number(whole.slice(0, at)) * 1000, whole.slice(at) + part);
  }
  const [, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = DATE.exec(trimmed) ?? [];
  if (day === undefined) return "";
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const time = Date.parse(`${day}T${hour}:${minute}:${second}Z`) - offset;
  return instant(time, fraction);
}

function instant(milliseconds: number, fraction: string): string {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return "";
  const digits = fraction.replace(/0+$/, "");
  return date.toISOString().slice(0, 19) + (digits === "" ? "" : `.${digits}`);
}
