import { visitJsonKeys } from "anchoreval";

/** Keys deeper than this aren't looked at: those of `models[3].responses` are the deepest that hold answers. */
const DEEPEST = 4;

/**
 * Paths of keys that stand twice in an object of a JSON text: `JSON.parse` keeps the last in silence.
 * @param json - valid JSON
 * @example duplicateKeys('{"responses":{"gsm/17":1,"gsm/17":0}}') // [["responses", "gsm/17"]]
 */
export function duplicateKeys(json: string): (string | number)[][] {
  const found: (string | number)[][] = [];
  visitJsonKeys(
    json,
    (path, repeated) => {
      if (repeated) found.push([...path]);
    },
    DEEPEST,
  );
  return found;
}
