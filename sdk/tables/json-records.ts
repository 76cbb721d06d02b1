import type { LineBatch } from "./chunk-lines.ts";
import { type DataIssues, jsonKind, type Place } from "./data-issues.ts";

/** A record of JSON lines. */
export interface JsonRecord {
  /** The line, counted from 1. */
  readonly row: number;
  /** The line itself. */
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * The objects of JSON lines; empty lines are skipped. A line that is no JSON object, or that names a field twice, is
 * noted as an issue and left out.
 */
export async function* jsonRecords(
  batches: AsyncIterable<LineBatch> | Iterable<LineBatch>,
  issues: DataIssues,
): AsyncGenerator<JsonRecord[], void, undefined> {
  for await (const { first, lines } of batches) {
    const records: JsonRecord[] = [];
    lines.forEach((text, index) => {
      if (text.trim() === "") return;
      const row = first + index;
      const fields = parseJsonObject(text, "the line", { row }, issues);
      if (fields) records.push({ row, text, fields });
    });
    yield records;
  }
}

/**
 * Parses a JSON object whose own fields are all named once, bare NaN as null; null, with the issue noted, where it isn't one.
 * @param what - how messages call the text, for example `the line`
 * @param depth - down to which fields are named once: 2 for those of its fields, too
 */
export function parseJsonObject(
  text: string,
  what: string,
  place: Place,
  issues: DataIssues,
  depth = 1,
): Record<string, unknown> | null {
  let value: unknown;
  try {
    value = parseWithNaN(text);
  } catch {
    const hint = /[:,[]\s*-?Infinity\b/.test(text) ? ": JSON has no Infinity, and no score is infinite" : "";
    issues.add(place, "malformed_json", `${what} is not valid JSON${hint}`);
    return null;
  }
  if (!isObject(value)) {
    issues.add(place, "wrong_type", `expected a JSON object, got ${jsonKind(value)}`);
    return null;
  }
  const [repeated] = repeatedKeys(text, value, depth);
  if (repeated === undefined) return value;
  issues.add({ ...place, column: repeated.at(-1) as string }, "duplicate", "it is there twice");
  return null;
}

/**
 * Parses JSON; a bare NaN, which JSON doesn't have and Python writes for what is missing, is null.
 * @param infinite - bare `Infinity` and `-Infinity` are read as well
 */
export function parseWithNaN(text: string, infinite = false): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!text.includes("NaN") && !(infinite && text.includes("Infinity"))) throw error;
    const number = (word: string): string => (infinite ? word.replace("Infinity", "1e999") : word);
    return JSON.parse(
      text.replace(STRINGS_AND_WORDS, (part) => (part.startsWith('"') ? part : part === "NaN" ? "null" : number(part))),
    );
  }
}

/** Strings are matched too, so that a `NaN` in one of them is left alone; one that isn't closed goes to the end. */
const STRINGS_AND_WORDS = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?\bInfinity\b|\bNaN\b/g;

/** Whether a value of JSON is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Paths of keys that appear twice in an object of a JSON text, of which `JSON.parse` silently keeps the last.
 * @param text - valid JSON
 * @param value - what it was parsed to: with a key for every colon of the text it has lost none, and the text isn't gone through
 * @example repeatedKeys('{"gsm/17":1,"gsm/17":0}', { "gsm/17": 0 }, 1) // [["gsm/17"]]
 */
export function repeatedKeys(text: string, value: unknown, deepest: number): (string | number)[][] {
  if (countKeys(value, MOST_LEVELS) === countColons(text)) return [];
  const repeats: (string | number)[][] = [];
  visitJsonKeys(
    text,
    (path, repeated) => {
      if (repeated) repeats.push([...path]);
    },
    deepest,
  );
  return repeats;
}

/** Levels of a value whose keys are counted: one may be deeper than the stack. */
const MOST_LEVELS = 16;

/** @returns NaN for a value with more levels */
function countKeys(value: unknown, levels: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (levels === 0) return NaN;
  let count = 0;
  if (Array.isArray(value)) for (const entry of value) count += countKeys(entry, levels - 1);
  else for (const key in value) count += 1 + countKeys((value as Record<string, unknown>)[key], levels - 1);
  return count;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) count++;
  return count;
}

/**
 * Visits the keys of the objects in a JSON text, in the order in which they stand, repeated ones as often as they
 * stand: `JSON.parse` keeps the last of repeated keys in silence, and puts keys that look like integers first.
 * @param text - valid JSON
 * @param visit - called with the path of the key, keys and indices from the root (copy it: it goes on changing), and
 * whether the same object had this key before
 * @param deepest - longest path that is visited: 1 for the keys of the outermost object alone
 * @example
 * const twice: string[] = [];
 * visitJsonKeys('{"gsm/17":1,"gsm/17":0}', (path, repeated) => { if (repeated) twice.push(path.join(".")); });
 * twice // ["gsm/17"]
 */
export function visitJsonKeys(
  text: string,
  visit: (path: readonly (string | number)[], repeated: boolean) => void,
  deepest = Infinity,
): void {
  const path: (string | number)[] = [];
  const around: (Set<string> | null)[] = []; // the keys so far of each object on the path; null = an array
  let depth = 0;
  let keyNext = false;
  const open = (keys: Set<string> | null): void => {
    keyNext = keys !== null;
    if (depth++ >= deepest) return;
    path.push(0);
    around.push(keys);
  };
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = closingQuote(text, at);
        if (keyNext && depth <= deepest) {
          const keys = around.at(-1)!;
          const key = unescaped(text.slice(at, end + 1));
          path[depth - 1] = key;
          visit(path, keys.has(key));
          keys.add(key);
        }
        keyNext = false;
        at = end;
        break;
      }
      case 0x7b: // {
        open(new Set());
        break;
      case 0x5b: // [
        open(null);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        keyNext = false;
        if (depth-- > deepest) break;
        path.pop();
        around.pop();
        break;
      case 0x2c: // ,
        if (depth > deepest) break;
        keyNext = around[depth - 1] !== null;
        if (!keyNext) path[depth - 1] = (path[depth - 1] as number) + 1;
    }
  }
}

function closingQuote(text: string, begin: number): number {
  for (let at = begin + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at++; // the backslash takes the next character with it
  }
}

function unescaped(literal: string): string {
  return literal.includes("\\") ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}
