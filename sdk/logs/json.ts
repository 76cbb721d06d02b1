/** The fields of what is an object; none of anything else, which is how logs lack a part. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
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
 * Parses JSON as Python writes it: bare `NaN`, `Infinity` and `-Infinity`, which JSON doesn't have, become null.
 * @throws SyntaxError where the text is not JSON otherwise
 * @example parsePythonJson('{"acc": NaN}') // { acc: null }
 */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!text.includes("NaN") && !text.includes("Infinity")) throw error;
    return JSON.parse(text.replace(STRINGS_AND_CONSTANTS, (part) => (part.startsWith('"') ? part : "null")));
  }
}

/** Strings are matched too, so that a `NaN` in one of them is left alone. */
const STRINGS_AND_CONSTANTS = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;
