import { blendedMean } from "anchoreval/core";
import { expect, test } from "vitest";

test("is the anchor mean at λ = 1, the imputed mean at λ = 0, and between them linear", () => {
  expect(blendedMean(1, 0.7, 0.4)).toBe(0.7);
  expect(blendedMean(0, 0.7, 0.4)).toBe(0.4);
  expect(blendedMean(0.25, 0.7, 0.4)).toBeCloseTo(0.475, 15);
});
