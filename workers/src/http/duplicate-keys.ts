/** Objects deeper than this aren't looked into: `models[3].responses` is the deepest that holds answers. */
const DEEPEST = 4;

/** An object or array around the place that is being read. */
interface Level {
  /** Keys so far; null in an array. */
  readonly keys: Set<string> | null;
  /** The key or index that is being read. */
  at: string | number;
}

/**
 * Paths of keys that stand twice in an object of a JSON text: `JSON.parse` keeps the last in silence.
 * @param json - valid JSON
 * @example duplicateKeys('{"responses":{"gsm/17":1,"gsm/17":0}}') // [["responses", "gsm/17"]]
 */
export function duplicateKeys(json: string): (string | number)[][] {
  const found: (string | number)[][] = [];
  const levels: Level[] = [];
  let depth = 0;
  let keyNext = false;
  for (let i = 0; i < json.length; i++) {
    switch (json[i]) {
      case "{":
      case "[":
        if (depth++ < DEEPEST) levels.push(json[i] === "{" ? { keys: new Set(), at: "" } : { keys: null, at: 0 });
        keyNext = json[i] === "{";
        break;
      case "}":
      case "]":
        if (depth-- <= DEEPEST) levels.pop();
        keyNext = false;
        break;
      case ",": {
        const level = levels.at(-1)!;
        if (depth > DEEPEST) break;
        if (level.keys === null) level.at = (level.at as number) + 1;
        else keyNext = true;
        break;
      }
      case '"': {
        const begin = i;
        for (i++; json[i] !== '"'; i++) if (json[i] === "\\") i++;
        const level = levels.at(-1);
        if (!keyNext || depth > DEEPEST || !level?.keys) break;
        level.at = JSON.parse(json.slice(begin, i + 1)) as string;
        if (level.keys.has(level.at)) found.push(levels.map(({ at }) => at));
        level.keys.add(level.at);
        keyNext = false;
      }
    }
  }
  return found;
}
