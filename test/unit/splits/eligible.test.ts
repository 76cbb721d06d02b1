import { expect, test } from "vitest";
import { eligibleTargets } from "../../../offline-trainer/src/matrix/splits.ts";

/** The share of N equal weights that a model has who answered 98 of 100 of them, summed as full scores are. */
function observedOf(items: number): number {
  let mass = 0;
  for (let i = 0; i < Math.round(0.98 * items); i++) mass += 1 / items;
  return mass;
}

test("a model that has observed exactly 98 % is a target, however the sum of its weights rounds", () => {
  const shares = [50, 300, 400, 800, 1000, 14_050].map(observedOf);
  expect(Math.min(...shares)).toBeLessThan(0.98);
  expect(eligibleTargets([{ observed: Float64Array.from(shares) }])).toEqual(shares.map(() => true));
});

test("a model must have observed enough of every scenario", () => {
  const [one, other] = [{ observed: Float64Array.of(1, 0.99, 0.979) }, { observed: Float64Array.of(1, 0.97, 1) }];
  expect(eligibleTargets([one])).toEqual([true, true, false]);
  expect(eligibleTargets([one, other])).toEqual([true, false, false]);
});
