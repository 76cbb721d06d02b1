import { expect, test } from "vitest";
import { precisionCurve } from "../../../sdk/plan/plan-from-bundle.ts";

const open = (items: number): number => 1 / items - 1 / 400;

test("a draw without replacement from one measured size is right at every size", () => {
  const value = (items: number): number => 0.4 * Math.sqrt(open(items));
  const curve = precisionCurve([{ items: 50, value: value(50) }], open)!;
  for (const items of [1, 10, 50, 170, 399]) expect(curve.at(items)).toBeCloseTo(value(items), 14);
  expect(curve.at(400)).toBe(0);
});

test("through every measured size, between them σ² goes with log n, beyond them it stays", () => {
  const points = [
    { items: 100, value: 0.05 },
    { items: 25, value: 0.08 },
  ];
  const curve = precisionCurve(points, open)!;
  for (const { items, value } of points) expect(curve.at(items)).toBeCloseTo(value, 14);
  const variance = (items: number): number => curve.at(items) ** 2 / open(items);
  expect(variance(50)).toBeCloseTo((variance(25) + variance(100)) / 2, 12);
  expect(variance(5)).toBeCloseTo(variance(25), 12);
  expect(variance(300)).toBeCloseTo(variance(100), 12);
  expect(curve).toMatchObject({ smallest: 25, largest: 100 });
  expect([25, 26].map((items) => curve.measured(items))).toEqual([true, false]);
});

test("forms of one size count together; whole ones say nothing; without any there is no curve", () => {
  const twice = precisionCurve(
    [
      { items: 50, value: 0.03 },
      { items: 50, value: 0.05 },
    ],
    open,
  )!;
  expect(twice.at(50)).toBeCloseTo(Math.sqrt((0.03 ** 2 + 0.05 ** 2) / 2), 14);
  expect(precisionCurve([{ items: 400, value: 0 }], open)).toBeNull();
});
