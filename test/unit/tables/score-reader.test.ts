import { decimalNumber, scoreReader } from "anchoreval/internal/tables/score-reader";
import { expect, test } from "vitest";

test("empty cells and null are no score, not zero", () => {
  expect(scoreReader().fromText("")).toBeNaN();
  expect(scoreReader({ flip: true }).fromJson(null)).toBeNaN();
});

test("minus zero is zero", () => {
  expect(scoreReader().fromText("-0")).toBe(0);
  expect(scoreReader().fromJson(-0)).toBe(0);
});

test("the ends of a range become exactly 0 and 1, in either direction", () => {
  for (const scoreRange of [
    [0, 100],
    [-0.1, 0.2],
    [1, 7],
    [1e-9, 3e-9],
  ] as const) {
    // prettier-ignore
    const [low, high] = scoreRange;
    const ends = [low, high].map(String);
    expect(ends.map((cell) => scoreReader({ scoreRange }).fromText(cell))).toEqual([0, 1]);
    expect(ends.map((cell) => scoreReader({ scoreRange, flip: true }).fromText(cell))).toEqual([1, 0]);
  }
});

test("a range given needs no hint at ranges", () => {
  expect(scoreReader({ scoreRange: [0, 1] }).fromJson(1.5)).toEqual({
    code: "out_of_range",
    message: "a score must be in [0,1], got 1.5",
  });
});

test.each([
  [1, 1],
  [1, 0],
  [NaN, 1],
  [0, Infinity],
])("the range %d,%d is refused", (low, high) => {
  expect(() => scoreReader({ scoreRange: [low, high] })).toThrow(expect.objectContaining({ code: "invalid_option" }));
});

test("a cell of many digits is read in one pass", () => {
  expect(decimalNumber(`${"1".repeat(400_000)}x`)).toBeNaN();
  expect(["12", "12.", "12,5", ".5", "1e-3", "+1.5E2"].map(decimalNumber)).toEqual([12, 12, 12.5, 0.5, 0.001, 150]);
}, 2000);
