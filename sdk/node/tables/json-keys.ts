/**
 * Visits the keys of all objects in a JSON text, in the order in which they stand, repeated ones as often as they
 * stand: `JSON.parse` keeps the last of repeated keys in silence, and puts keys that look like integers first.
 * @param text - valid JSON
 * @param visit - called with the key and its depth: 1 in the outermost object, one more in each object or array
 */
export function visitJsonKeys(text: string, visit: (key: string, depth: number) => void): void {
  const isObject: boolean[] = [];
  let keyNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = closingQuote(text, at);
        if (keyNext) visit(unescaped(text.slice(at, end + 1)), isObject.length);
        keyNext = false;
        at = end;
        break;
      }
      case 0x7b: // {
        isObject.push(true);
        keyNext = true;
        break;
      case 0x5b: // [
        isObject.push(false);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        isObject.pop();
        keyNext = false;
        break;
      case 0x2c: // ,
        keyNext = isObject.at(-1)!;
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
