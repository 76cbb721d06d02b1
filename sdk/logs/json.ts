import { isObject } from "../tables/json-records.ts";

/** The fields of what is an object; none of anything else, which is how logs lack a part. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
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

/** A version, which logs have as a number or as text. */
export function versionText(value: unknown): string | null {
  return typeof value === "number" || typeof value === "string" ? String(value) : null;
}

/** The settings that aren't null, as canonical JSON; null where there are none. */
export function settingsText(value: unknown, without: readonly string[] = []): string | null {
  const entries = Object.entries(record(value)).filter(([name, own]) => own !== null && !without.includes(name));
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
 * @throws SyntaxError where the text is not JSON otherwise
 * @example parsePythonJson('{"acc": NaN}') // { acc: null }
 */
export function parsePythonJson(marked: string): unknown {
  const text = marked.startsWith("\uFEFF") ? marked.slice(1) : marked;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!text.includes("NaN") && !text.includes("Infinity")) throw error;
    return JSON.parse(
      text.replace(STRINGS_AND_CONSTANTS, (part) =>
        part.startsWith('"') ? part : part === "NaN" ? "null" : part.replace("Infinity", "1e999"),
      ),
    );
  }
}

/** Strings are matched too, so that a `NaN` in one of them is left alone; one that isn't closed goes to the end. */
const STRINGS_AND_CONSTANTS = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?\bInfinity\b|\bNaN\b/g;
