import {
  parsePythonAssignments,
  parsePythonLiteral,
} from "anchoreval/internal/features/opencompass/sdk/python-literal";
import { describe, expect, test } from "vitest";

describe("a literal, as Python's repr writes it", () => {
  test.each<[string, unknown]>([
    ["{'accuracy': 62.5, 'runs': 3}", { accuracy: 62.5, runs: 3 }],
    ["[1, -2, 1e-05, .5, 2., +3]", [1, -2, 1e-5, 0.5, 2, 3]],
    ["(1, 'a')", [1, "a"]],
    ["(1,)", [1]],
    ["(1)", 1],
    ["()", []],
    ["[True, False, None, nan, inf, -inf]", [true, false, null, null, null, null]],
    [`['it\\'s', "it's", 'a\\n\\t\\\\', '\\xe9\\u4e2d\\U0001f600']`, ["it's", "it's", "a\n\t\\", "é中😀"]],
    ["np.float64(62.5)", 62.5],
    ["dict(a=dict(), b=[\n  1,\n  ],\n)", { a: {}, b: [1] }],
    ["dict({'a-b': 1, 2: dict(c=3)})", { "a-b": 1, "2": { c: 3 } }],
  ])("%s", (text, value) => {
    expect(parsePythonLiteral(text)).toEqual(value);
  });
});

test("assignments, one after another", () => {
  expect(parsePythonAssignments("n=2\nmodels=[\n    dict(abbr='a'),\n    ]\n")).toEqual({
    n: 2,
    models: [{ abbr: "a" }],
  });
  expect(parsePythonAssignments("")).toEqual({});
});

test.each([
  ["a='b", "line 1: no Python literal at 'b"],
  ["a=1\nb=open('x', 'y')", "line 2"],
  ["a=[1,\n2", "line 2: it ends too early"],
  ["a=lambda x: x", "line 1: no Python literal at lambda x: x"],
  ["a=constructor", "line 1"],
  ["import os", "line 1"],
  ["a={'b' 1}", "line 1"],
])("%s is refused, naming the line", (text, words) => {
  const act = (): unknown => parsePythonAssignments(text);
  expect(act).toThrow(SyntaxError);
  expect(act).toThrow(words);
});
