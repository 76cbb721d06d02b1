import { visitJsonKeys } from "anchoreval/node";
import fc from "fast-check";
import { expect, test } from "vitest";

function keys(text: string): [string, number][] {
  const out: [string, number][] = [];
  visitJsonKeys(text, (key, depth) => out.push([key, depth]));
  return out;
}

test("repeated keys come twice, integers in their place, escapes undone", () => {
  expect(keys('{"10":1,"2":0,"10":"{\\"x\\":1}","\\u0061\\"":null}')).toEqual([
    ["10", 1],
    ["2", 1],
    ["10", 1],
    ['a"', 1],
  ]);
});

test("text in values and in arrays is no key", () => {
  expect(keys('{"a":["b","c",{"d":"e"},[],"f"],"g":{},"h":"\\\\"}')).toEqual([
    ["a", 1],
    ["d", 3],
    ["g", 1],
    ["h", 1],
  ]);
  expect(keys('"a"')).toEqual([]);
  expect(keys('["a","b"]')).toEqual([]);
});

test("the keys of any JSON are found", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, space) => {
      const expected: string[] = [];
      // Walks in the order in which JSON.stringify writes.
      const walk = (part: unknown): void => {
        if (typeof part !== "object" || part === null) return;
        for (const [key, child] of Object.entries(part)) {
          if (!Array.isArray(part)) expected.push(key);
          walk(child);
        }
      };
      const text = JSON.stringify(value, null, space);
      walk(JSON.parse(text));
      expect(keys(text).map(([key]) => key)).toEqual(expected);
    }),
  );
});
