import { visitJsonKeys } from "anchoreval/internal/tables/json-records";
import fc from "fast-check";
import { expect, test } from "vitest";

/** Paths of the keys, those that repeat one with a `!` at the end. */
function keys(text: string, deepest?: number): string[] {
  const out: string[] = [];
  visitJsonKeys(text, (path, repeated) => out.push(`${path.join("/")}${repeated ? "!" : ""}`), deepest);
  return out;
}

test("repeated keys come twice, integers in their place, escapes undone", () => {
  expect(keys('{"10":1,"2":0,"10":"{\\"x\\":1}","\\u0061\\"":null,"a\\"":1}')).toEqual(["10", "2", "10!", 'a"', 'a"!']);
});

test("a key repeats one of the same object only", () => {
  expect(keys('{"a":{"a":1,"b":1},"b":[{"a":1},{"a":1}],"a":{"b":1}}')).toEqual([
    "a",
    "a/a",
    "a/b",
    "b",
    "b/0/a",
    "b/1/a",
    "a!",
    "a/b",
  ]);
});

test("text in values and in arrays is no key, indices are counted", () => {
  expect(keys('{"a":["b","c",{"d":"e"},[],"f",[0,{"d":1}]],"g":{},"h":"\\\\"}')).toEqual([
    "a",
    "a/2/d",
    "a/5/1/d",
    "g",
    "h",
  ]);
  expect(keys('"a"')).toEqual([]);
  expect(keys('["a","b"]')).toEqual([]);
});

test.each([
  [1, ["a", "e", "e!"]],
  [2, ["a", "e", "e/f", "e!"]],
  [3, ["a", "a/1/b", "a/1/d", "a/1/b!", "e", "e/f", "e!"]],
  [4, ["a", "a/1/b", "a/1/b/c", "a/1/d", "a/1/b!", "e", "e/f", "e!"]],
])("paths have a length of at most %i where asked", (deepest, expected) => {
  expect(keys('{"a":[["x"],{"b":{"c":[{}]},"d":["y","z"],"b":1}],"e":{"f":[{},{}]},"e":0}', deepest)).toEqual(expected);
});

test("the keys of any JSON are found, at their paths", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, space) => {
      const expected: string[] = [];
      // Walks in the order in which JSON.stringify writes.
      const walk = (part: unknown, path: readonly string[]): void => {
        if (typeof part !== "object" || part === null) return;
        for (const [key, child] of Object.entries(part)) {
          if (!Array.isArray(part)) expected.push([...path, key].join("/"));
          walk(child, [...path, key]);
        }
      };
      const text = JSON.stringify(value, null, space);
      walk(JSON.parse(text), []);
      expect(keys(text)).toEqual(expected);
    }),
  );
});
