import { moreItems, normalCdf, rankedGap, type VariancePart } from "anchoreval/core";
import { expect, test } from "vitest";
import { readFixture } from "../../support/fixture.ts";

const { cases, tolerance } = readFixture<{
  tolerance: { items: number };
  cases: { parts: VariancePart[]; wanted: number; expected: number }[];
}>("comparison/items-needed.json");

// The reference counts whole items in the first scenario's steps, this one rounds every scenario up by itself.
test.each(cases)("$expected items more, by a search one by one", ({ parts, wanted, expected }) => {
  expect(Math.abs(moreItems(parts, wanted) - expected)).toBeLessThanOrEqual(tolerance.items * parts.length);
});

test("nothing more where it is reached, all that there are for certainty", () => {
  const part = { share: 1, variance: 0.001, items: 50, of: 400 };
  expect(moreItems([part], 0.001)).toBe(0);
  expect(moreItems([part], 1)).toBe(0);
  expect(moreItems([part], 0)).toBe(350);
  expect(
    moreItems(
      [
        { ...part, share: 0.5 },
        { share: 0.5, variance: 0, items: 60, of: 60 },
      ],
      0,
    ),
  ).toBe(350);
});

test("a gap of that size is ranked right as often as it says", () => {
  for (const share of [0.6, 0.8, 0.95]) expect(normalCdf(rankedGap(0.03, share) / 0.03)).toBeCloseTo(share, 12);
});
