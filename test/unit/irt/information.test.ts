import { itemBank, itemInformation, logitInformation, testInformation } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { bankOf, readFixture, relativeError, type FixtureItems } from "../../support/fixture.ts";

const { cases, tolerance } = readFixture<{
  tolerance: { relative: number };
  cases: {
    name: string;
    items: FixtureItems;
    theta: number[];
    expected: { information: number[]; itemInformation: number[]; testInformation: number[] };
  }[];
}>("numpy/response.json");

describe.each(cases)("$name", ({ items, theta, expected }) => {
  const bank = bankOf(items);
  const at = Float64Array.from(theta);

  test("information of each item", () => {
    for (let i = 0; i < bank.count; i++) {
      expect(relativeError(logitInformation(at, bank, i), expected.information[i]!)).toBeLessThanOrEqual(
        tolerance.relative,
      );
      expect(relativeError(itemInformation(at, bank, i), expected.itemInformation[i]!)).toBeLessThanOrEqual(
        tolerance.relative,
      );
    }
  });

  test("information of the test is a symmetric D×D matrix", () => {
    const all = Array.from({ length: bank.count }, (_, i) => i);
    const matrix = testInformation(at, bank, all);
    const largest = Math.max(...expected.testInformation.map(Math.abs));
    expect(matrix).toHaveLength(bank.dims ** 2);
    matrix.forEach((value, k) =>
      // Off the diagonal terms of either sign cancel: accurate relative to the largest entry.
      expect(Math.abs(value - expected.testInformation[k]!)).toBeLessThanOrEqual(tolerance.relative * largest),
    );
    for (let r = 0; r < bank.dims; r++)
      for (let c = 0; c < r; c++)
        expect(Math.abs(matrix[r * bank.dims + c]! - matrix[c * bank.dims + r]!)).toBeLessThanOrEqual(
          tolerance.relative * largest,
        );
  });
});

test("is additive over items", () => {
  const bank = itemBank(Float64Array.of(1, 0.5, 2, 1, -0.3, 0.8), Float64Array.of(0, 1, -1));
  const at = Float64Array.of(0.3, -0.2);
  const parts = [0, 1, 2].map((item) => testInformation(at, bank, [item]));
  testInformation(at, bank, [0, 1, 2]).forEach((value, k) =>
    expect(value).toBeCloseTo(parts[0]![k]! + parts[1]![k]! + parts[2]![k]!, 14),
  );
  expect(testInformation(at, bank, [])).toEqual(new Float64Array(4));
});

test("sees the upper asymptote: 1/6 at a = 1, b = 0, u = 0.8, where formulas without it give 0.24", () => {
  const bank = itemBank(Float64Array.of(1), Float64Array.of(0), { upper: Float64Array.of(0.8) });
  expect(itemInformation(Float64Array.of(0), bank, 0)).toBeCloseTo(1 / 6, 15);
});
