import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { featureTable, type FeatureTable, ridgePredictor } from "../../../../offline-trainer/src/methods/sublime/choose-subset.ts";
import { pearson } from "../../../../offline-trainer/src/numeric/ranks.ts";
import { largestDifference } from "../../../support/fixture.ts";

const rows = (count: number, width: number, seed: string): Float64Array[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => Float64Array.from({ length: width }, () => random.normal()));
};

test("featureTable standardises, and leaves what doesn't vary at 0", () => {
  const table = featureTable([Float64Array.of(1, 7, 0), Float64Array.of(3, 7, 0), Float64Array.of(5, 7, 0)]);
  const far = Math.sqrt(1.5);
  expect(Array.from(table.values)).toEqual([-far, 0, 0, 0, 0, 0, far, 0, 0]);
});

describe("ridgePredictor", () => {
  const known = rows(300, 6, "rows");
  const predict = ridgePredictor(featureTable(known), createRandom("axes"));

  test("finds what is linear under noise", () => {
    const random = createRandom("noise");
    const clean = Float64Array.from(known, (row) => 0.3 * row[0]! - 0.2 * row[3]! + 2);
    const noisy = clean.map((value) => value + 0.2 * random.normal());
    const found = predict(noisy);
    expect(pearson(found, clean)).toBeGreaterThan(0.97);
    expect(pearson(found, clean)).toBeGreaterThan(pearson(noisy, clean)!);
  });

  test("targets that are all the same are predicted so", () => {
    const same = new Float64Array(300).fill(0.75);
    expect(largestDifference(predict(same), same)).toBeLessThan(1e-12);
  });

  test("features that say nothing leave the mean", () => {
    const blank: FeatureTable = { count: 40, width: 3, values: new Float64Array(120) };
    const targets = Float64Array.from({ length: 40 }, (_, i) => i % 5);
    const found = ridgePredictor(blank, createRandom(1))(targets);
    expect(found.every((value) => value === found[0] && Math.abs(value - 2) < 1)).toBe(true);
  });
});
