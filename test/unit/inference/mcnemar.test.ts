import { midPMcNemar } from "anchoreval/core";
import { expect, test } from "vitest";
import { readFixture, relativeError } from "../../support/fixture.ts";

const { cases, tolerance } = readFixture<{
  tolerance: { relative: number };
  cases: { b: number; c: number; expected: number }[];
}>("comparison/mcnemar.json");

test.each(cases)("b = $b, c = $c: twice the lower tail, its last term half", ({ b, c, expected }) => {
  expect(relativeError(midPMcNemar(b, c), expected)).toBeLessThan(tolerance.relative);
});

test("either model may be named first, and equal counts say nothing", () => {
  for (const [b, c] of [
    [0, 7],
    [12, 30],
    [100, 141],
  ] as const)
    expect(midPMcNemar(c, b)).toBe(midPMcNemar(b, c));
  expect(midPMcNemar(0, 0)).toBe(1);
  expect(midPMcNemar(17, 17)).toBe(1);
});

/** Chance of p ≤ .05 with d discordant items of which each is as likely either model's. */
function rejectedOf(d: number): number {
  let probability = 2 ** -d;
  let rejected = 0;
  for (let b = 0; b <= d; b++) {
    if (midPMcNemar(b, d - b) <= 0.05) rejected += probability;
    probability *= (d - b) / (b + 1);
  }
  return rejected;
}

test("models that are alike are told apart in at most .06 of all samples, and in nearly .05 of large ones", () => {
  const rejected = Array.from({ length: 201 }, (_, d) => rejectedOf(d));
  const sizes: number[] = [];
  for (const n of [30, 50, 100, 200])
    for (const share of [0.05, 0.1, 0.2, 0.35, 0.5]) {
      let probability = (1 - share) ** n; // of d discordant items among n
      let size = 0;
      for (let d = 0; d <= n; d++) {
        size += probability * rejected[d]!;
        probability *= ((n - d) / (d + 1)) * (share / (1 - share));
      }
      sizes.push(size);
    }
  expect(Math.max(...sizes)).toBeLessThan(0.06);
  expect(sizes.at(-1)).toBeGreaterThan(0.045); // the exact test's is .037: this would notice a missing half
});
