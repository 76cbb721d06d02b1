import { expect } from "vitest";

/** Standard deviations allowed: one test in some 150 000 strays further by chance, and seeds are fixed. */
const DEVIATIONS = 4.5;

/** Asserts that a count of independent events lies where a binomial one does, with one more for rounding. */
export function expectBinomial(count: number, trials: number, probability: number): void {
  const slack = 1 + DEVIATIONS * Math.sqrt(trials * probability * (1 - probability));
  expect(count).toBeGreaterThanOrEqual(trials * probability - slack);
  expect(count).toBeLessThanOrEqual(trials * probability + slack);
}
