import fc from "fast-check";
import { expect, test } from "vitest";
import { duplicateKeys } from "../../../workers/src/http/request-body.ts";

test.each([
  ["{}", []],
  ['{"a":1,"b":1}', []],
  ['{"a":1,"a":2}', [["a"]]],
  ['{"a":1,"a":2,"a":3}', [["a"], ["a"]]],
  ['{"a":1,"\\u0061":2}', [["a"]]],
  ['{"__proto__":1,"__proto__":2}', [["__proto__"]]],
  ['{"a":"b","c":"b"}', []],
  ['{"a":"{\\"x\\":1,\\"x\\":2}"}', []],
  ['{"a\\\\":1,"a\\\\":2}', [["a\\"]]],
  ['{ "a" : { "x" : 1 , "x" : 2 } , "b" : { "x" : 1 } }', [["a", "x"]]],
  ['[{"a":1},{"a":1,"b":[],"b":{}}]', [[1, "b"]]],
  ['{"models":[{"r":{}},[],{"r":{"x":[1,2],"x":0}}]}', [["models", 2, "r", "x"]]],
  ['[[[[{"too deep":1,"too deep":2}]]],{"a":0,"a":1}]', [[1, "a"]]],
  ['{"r":{"x":1},"r":{"x":1}}', [["r"]]],
  ['"a"', []],
  ["1", []],
])("%s", (json, expected) => {
  expect(duplicateKeys(json, JSON.parse(json))).toEqual(expected);
});

test("a value that goes deeper than the stack is none the worse", () => {
  const json = `{"responses":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)},"a":1}}`;
  expect(duplicateKeys(json, JSON.parse(json.replace(',"a":1', "")))).toEqual([["responses", "a"]]);
});

test("JSON that was made from values has none", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(duplicateKeys(json, JSON.parse(json))).toEqual([]);
    }),
  );
});

test("finds exactly the key that was put in twice, wherever it stands", () => {
  const keys = fc.uniqueArray(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(keys, fc.nat(), fc.nat(), fc.jsonValue({ maxDepth: 2 }), (names, which, where, value) => {
      const again = names[which % names.length]!;
      const all = names.toSpliced(where % (names.length + 1), 0, again);
      const json = `{"responses":{${all.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}}`;
      expect(duplicateKeys(json, JSON.parse(json))).toEqual([["responses", again]]);
    }),
  );
});
