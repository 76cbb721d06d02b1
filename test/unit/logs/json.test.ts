import { parsePythonJson, sortableDate } from "anchoreval/internal/logs/json";
import { describe, expect, it, test } from "vitest";

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

/** 2026-03-01T12:00:00Z in seconds. */
const SECONDS = 1_772_366_400;

test.each<[instant: string, forms: unknown[]]>([
  [
    "2026-03-01T12:00:00",
    [
      ...[0, 3, 6, 9].flatMap((digits) => [`${SECONDS}${"0".repeat(digits)}`, SECONDS * 10 ** digits]),
      ...["2026-03-01T12:00:00Z", "2026-03-01 12:00:00 UTC", "2026-03-01T12-00-00", "2026-03-01T17:30:00+05:30"],
      ...["20260301T120000Z", "20260301T1200Z", "20260301_120000", "20260301-120000", "20260301T070000-0500"],
    ],
  ],
  [
    "2026-03-01T12:00:00.25",
    [`${SECONDS}.25`, SECONDS + 0.25, `${SECONDS}250000`, "2026-03-01T12:00:00.250Z", "20260301T120000.25Z"],
  ],
  ["2026-03-01T00:00:00", ["2026-03-01", "20260301", "20260301Z"]],
  ["", ["yesterday", "Wed, 01 Jan 2025 00:00:00 GMT", "2026-13-01", "", null, undefined, {}, [1], true, NaN, 1e300]],
])("%s has many forms", (instant, forms) => {
  for (const form of forms) expect(sortableDate(form), String(form)).toBe(instant);
});
