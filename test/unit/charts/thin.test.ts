import { expect, test } from "vitest";
import { thin } from "../../../sdk/charts/chart.ts";

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
