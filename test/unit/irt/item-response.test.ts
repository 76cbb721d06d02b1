import { createRandom, itemBank, itemLogit, itemLogits, itemResponse, itemResponses } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { bankOf, readFixture, relativeError, type FixtureItems } from "../../support/fixture.ts";

const { cases, tolerance } = readFixture<{
  tolerance: { relative: number; logitAbsolute: number };
  cases: { name: string; items: FixtureItems; theta: number[]; expected: { p: number[]; logit: number[] } }[];
}>("numpy/response.json");

describe.each(cases)("$name", ({ items, theta, expected }) => {
  const bank = bankOf(items);
  const at = Float64Array.from(theta);

  test("logits", () => {
    for (let i = 0; i < bank.count; i++)
      expect(Math.abs(itemLogit(at, bank, i) - expected.logit[i]!)).toBeLessThanOrEqual(tolerance.logitAbsolute);
  });

  test("probabilities, tails included", () => {
    for (let i = 0; i < bank.count; i++)
      expect(relativeError(itemResponse(at, bank, i), expected.p[i]!)).toBeLessThanOrEqual(tolerance.relative);
  });

  test("all items at once are the same numbers", () => {
    itemResponses(at, bank).forEach((p, i) =>
      expect(relativeError(p, itemResponse(at, bank, i))).toBeLessThanOrEqual(1e-15),
    );
    const out = new Float64Array(bank.count);
    expect(itemResponses(at, bank, out)).toBe(out);
  });
});

test("asymptotes stay what they are at the ends of the scale", () => {
  const bank = itemBank(Float64Array.of(1, 1), Float64Array.of(0, 0), {
    lower: Float64Array.of(0.2, 0.25),
    upper: Float64Array.of(0.9, 1),
  });
  expect(itemResponse(Float64Array.of(-1e4), bank, 0)).toBe(0.2);
  expect(itemResponse(Float64Array.of(1e4), bank, 0)).toBeCloseTo(0.9, 15);
  expect(itemResponse(Float64Array.of(1e4), bank, 1)).toBe(1);
});

test("an input that is no number gives none", () => {
  const bank = itemBank(Float64Array.of(1, NaN, 1), Float64Array.of(0, 0, NaN));
  expect(itemResponse(Float64Array.of(NaN), bank, 0)).toBeNaN();
  expect(itemResponse(Float64Array.of(0), bank, 1)).toBeNaN();
  expect(itemResponse(Float64Array.of(0), bank, 2)).toBeNaN();
});

test.each([1, 3, 4, 5, 8, 11])("all logits of %i items at once are the same numbers", (count) => {
  const dims = 3;
  const random = createRandom(`${count} items`);
  const normals = (length: number): Float32Array => Float32Array.from({ length }, () => random.normal());
  const bank = itemBank(normals(count * dims), normals(count));
  const theta = Float64Array.from({ length: dims }, () => random.normal());
  expect(itemLogits(theta, bank)).toEqual(Float64Array.from({ length: count }, (_, i) => itemLogit(theta, bank, i)));
});
