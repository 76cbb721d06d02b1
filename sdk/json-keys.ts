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
