import { visitJsonKeys } from "../json-keys.ts";
import type { DataIssues, Place } from "./data-issues.ts";
import { jsonKind } from "./quoted.ts";
import type { LineBatch } from "./line-batch.ts";

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
 * Parses a JSON object whose own fields are all named once; null, with the issue noted, where it isn't one.
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
    value = JSON.parse(text);
  } catch {
    const hint = /[:,[]\s*-?(NaN|Infinity)\b/.test(text)
      ? ": JSON has no NaN and no Infinity, null means no score"
      : "";
    issues.add(place, "malformed_json", `${what} is not valid JSON${hint}`);
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    issues.add(place, "wrong_type", `${what} is a JSON object, got ${jsonKind(value)}`);
    return null;
  }
  const repeated = repeatedKey(text, depth);
  if (repeated === null) return value as Record<string, unknown>;
  issues.add({ ...place, column: repeated }, "duplicate", "it is there twice");
  return null;
}

function repeatedKey(text: string, depth: number): string | null {
  let first: string | null = null;
  visitJsonKeys(
    text,
    (path, repeated) => {
      if (repeated) first ??= path.at(-1) as string;
    },
    depth,
  );
  return first;
}
