import { expect, test } from "vitest";
import { fairLimit } from "../../../../../features/report/fit/report-data.ts";

test("a fair limit keeps all lists within the total, short ones leaving their share to long ones", () => {
  expect(fairLimit([10, 100, 500], 300, 50)).toBe(190);
  expect(fairLimit([1000, 1000], 4000, 50)).toBe(Infinity);
  expect(fairLimit([500, 500, 500], 60, 50)).toBe(50);
  const lengths = [3, 2000, 40, 9000, 900];
  const limit = fairLimit(lengths, 4000, 10);
  expect(lengths.reduce((sum, length) => sum + Math.min(length, limit), 0)).toBeLessThanOrEqual(4000);
});
