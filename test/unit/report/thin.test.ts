import { expect, test } from "vitest";
import { fairLimit, thin } from "../../../offline-trainer/src/report/thin.ts";

test("thinning keeps an even spread, and short lists as they are", () => {
  expect(thin([0, 1, 2, 3, 4, 5], 3)).toEqual([0, 2, 4]);
  expect(thin([0, 1], 3)).toEqual([0, 1]);
  const kept = thin(
    Array.from({ length: 28659 }, (_, i) => i),
    1000,
  );
  expect(kept).toHaveLength(1000);
  expect(new Set(kept).size).toBe(1000);
  expect(Math.max(...kept.slice(1).map((item, k) => item - kept[k]!))).toBeLessThanOrEqual(29);
});

test("a fair limit keeps all lists within the total, short ones leaving their share to long ones", () => {
  expect(fairLimit([10, 100, 500], 300, 50)).toBe(190);
  expect(fairLimit([1000, 1000], 4000, 50)).toBe(Infinity);
  expect(fairLimit([500, 500, 500], 60, 50)).toBe(50);
  const lengths = [3, 2000, 40, 9000, 900];
  const limit = fairLimit(lengths, 4000, 10);
  expect(lengths.reduce((sum, length) => sum + Math.min(length, limit), 0)).toBeLessThanOrEqual(4000);
});
