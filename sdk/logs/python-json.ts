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
