import { parsePythonJson } from "anchoreval/internal/logs/json";
import { describe, expect, it } from "vitest";

describe("parsePythonJson", () => {
  it("reads NaN as null, the infinities as what they are, and leaves text alone", () => {
    expect(parsePythonJson('{"acc": NaN, "x": [-Infinity, Infinity], "text": "NaN, \\"Infinity\\": NaN"}')).toEqual({
      acc: null,
      x: [-Infinity, Infinity],
      text: 'NaN, "Infinity": NaN',
    });
  });

  it("refuses what is no JSON otherwise", () => {
    expect(() => parsePythonJson('{"acc": NaN')).toThrow(SyntaxError);
    expect(() => parsePythonJson("{'acc': 1}")).toThrow(SyntaxError);
  });
});

it("a text that is never closed is refused in one pass", () => {
  expect(() => parsePythonJson(`{"a": NaN, "b": "${'\\"'.repeat(200_000)}`)).toThrow(SyntaxError);
  expect(parsePythonJson('{"a": NaN, "b": "NaN \\" NaN\\\\"}')).toEqual({ a: null, b: 'NaN " NaN\\' });
}, 2000);
