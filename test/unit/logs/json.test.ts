import { parsePythonJson } from "anchoreval/internal/logs/json";
import { describe, expect, it } from "vitest";

describe("parsePythonJson", () => {
  it("reads NaN and the infinities as null, and leaves text alone", () => {
    expect(parsePythonJson('{"acc": NaN, "x": [-Infinity, Infinity], "text": "NaN, \\"Infinity\\": NaN"}')).toEqual({
      acc: null,
      x: [null, null],
      text: 'NaN, "Infinity": NaN',
    });
  });

  it("refuses what is no JSON otherwise", () => {
    expect(() => parsePythonJson('{"acc": NaN')).toThrow(SyntaxError);
    expect(() => parsePythonJson("{'acc': 1}")).toThrow(SyntaxError);
  });
});
