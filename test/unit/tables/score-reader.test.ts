import { decimalNumber, scoreReader } from "anchoreval/internal/tables/score-reader";
import { expect, test } from "vitest";

test("empty cells and null are no score, not zero", () => {
  expect(scoreReader().fromText("")).toBeNaN();
  expect(scoreReader({ scoreRange: [1, 0] }).fromJson(null)).toBeNaN();
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
    expect(ends.map((cell) => scoreReader({ scoreRange: [high, low] }).fromText(cell))).toEqual([1, 0]);
  }
});

test("a score within 1e-9 of a bound, after the range, is the bound: on every scale, by text and by JSON", () => {
  for (const [low, high] of [
    [0, 1],
    [0, 100],
    [-1, 1],
    [1, 5],
  ] as const) {
    // prettier-ignore
    const reader = scoreReader({ scoreRange: [low, high] });
    const at = (share: number): unknown[] => {
      const score = low + share * (high - low);
      return [reader.fromJson(score), reader.fromText(String(score))];
    };
    for (const noise of [0, 2.3e-16, 5e-10]) {
      expect(at(1 + noise)).toEqual([1, 1]);
      expect(at(1 - noise)).toEqual([1, 1]);
      expect(at(-noise)).toEqual([0, 0]);
      expect(at(noise)).toEqual([0, 0]);
    }
    for (const beyond of [-2e-9, 1 + 2e-9, 1.01])
      for (const read of at(beyond)) expect(read).toMatchObject({ code: "out_of_range" });
    expect(at(0.25)[0]).toBeCloseTo(0.25, 15);
  }
});

test("NaN is no score, as null is; an infinite one is refused", () => {
  expect(scoreReader().fromJson(NaN)).toBeNaN();
  expect(scoreReader().fromJson(Infinity)).toMatchObject({ code: "out_of_range" });
});

test.each([
  [[0, 1, 62.5], "0,100"],
  [[3], "1,5 or 0,5"],
  [[0, 3], "0,5 or 0,10"],
  [[0.5, -0.2], "-1,1"],
  [[0.5, 7], "0,10 or 0,100"],
])("of %j the likely scales are %s", (scores, scales) => {
  const reader = scoreReader();
  const [problem] = scores.map((score) => reader.fromText(String(score))).slice(-1);
  const words = expect.stringContaining(`give \`scoreRange\` worst,best (here perhaps ${scales})`) as string;
  expect(problem).toEqual({ code: "out_of_range", message: words });
  const far = scoreReader().fromJson(-1000);
  expect(far).toMatchObject({ message: expect.stringContaining("give `scoreRange` worst,best") as string });
});

test("a range given needs no hint at ranges", () => {
  expect(scoreReader({ scoreRange: [0, 1] }).fromJson(1.5)).toEqual({
    code: "out_of_range",
    message: "a score must be in [0,1], got 1.5",
  });
});

test.each([
  [1, 1],
  [NaN, 1],
  [0, Infinity],
])("the range %d,%d is refused", (low, high) => {
  expect(() => scoreReader({ scoreRange: [low, high] })).toThrow(expect.objectContaining({ code: "invalid_option" }));
});

test("a cell of many digits is read in one pass", () => {
  expect(decimalNumber(`${"1".repeat(400_000)}x`)).toBeNaN();
  expect(["12", "12.", "12,5", ".5", "1e-3", "+1.5E2"].map(decimalNumber)).toEqual([12, 12, 12.5, 0.5, 0.001, 150]);
}, 2000);
