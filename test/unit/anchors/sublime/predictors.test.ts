import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { featureTable, type FeatureTable } from "../../../../offline-trainer/src/anchors/sublime/feature-table.ts";
import { batchGradient, networkPredictions } from "../../../../offline-trainer/src/anchors/sublime/network.ts";
import { PREDICTORS, predictors } from "../../../../offline-trainer/src/anchors/sublime/predictor.ts";
import { pearson } from "../../../../offline-trainer/src/ranking/correlation.ts";
import { largestDifference, readFixture } from "../../../support/fixture.ts";

interface Fixture extends Record<"x" | "y" | "weights" | "rows" | "gradient", readonly number[]> {
  readonly tolerance: number;
  readonly count: number;
  readonly width: number;
  readonly hidden: number;
  readonly decay: number;
  readonly loss: number;
}

const rows = (count: number, width: number, seed: string): Float64Array[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => Float64Array.from({ length: width }, () => random.normal()));
};

test("batchGradient: loss and gradient are those of NumPy's matrix products", () => {
  const fixture = readFixture<Fixture>("subsets/network.json");
  const { count, width, hidden } = fixture;
  const gradient = new Float64Array(fixture.weights.length).fill(NaN);
  const loss = batchGradient(
    { width, hidden, weights: Float64Array.from(fixture.weights) },
    { count, width, values: Float64Array.from(fixture.x) },
    Float64Array.from(fixture.y),
    fixture.rows,
    fixture.decay,
    gradient,
  );
  expect(Math.abs(loss - fixture.loss)).toBeLessThanOrEqual(fixture.tolerance);
  expect(largestDifference(gradient, fixture.gradient)).toBeLessThanOrEqual(fixture.tolerance);
});

describe("featureTable", () => {
  test("standardises, and leaves what doesn't vary at 0", () => {
    const table = featureTable([Float64Array.of(1, 7, 0), Float64Array.of(3, 7, 0), Float64Array.of(5, 7, 0)]);
    const far = Math.sqrt(1.5);
    expect(Array.from(table.values)).toEqual([-far, 0, 0, 0, 0, 0, far, 0, 0]);
  });
});

describe("predictors", () => {
  const known = rows(300, 6, "rows");
  const table = featureTable(known);
  const predicted = (name: (typeof PREDICTORS)[number], targets: Float64Array, seed = 1): Float64Array =>
    predictors(table, createRandom("axes"))[name](targets, createRandom(seed));

  test.each(PREDICTORS)("%s finds what is linear under noise", (name) => {
    const random = createRandom("noise");
    const clean = Float64Array.from(known, (row) => 0.3 * row[0]! - 0.2 * row[3]! + 2);
    const noisy = clean.map((value) => value + 0.2 * random.normal());
    const found = predicted(name, noisy);
    expect(pearson(found, clean)).toBeGreaterThan(0.97);
    expect(pearson(found, clean)).toBeGreaterThan(pearson(noisy, clean)!);
  });

  test("the network finds what ridge can't: a product", () => {
    const product = Float64Array.from(known, (row) => row[0]! * row[1]!);
    expect(pearson(predicted("ridge", product), product)).toBeLessThan(0.4);
    expect(pearson(predicted("network", product), product)).toBeGreaterThan(0.8);
  });

  test.each(PREDICTORS)(
    "%s: the same bytes from the same seed; targets that are all the same are predicted so",
    (name) => {
      const targets = Float64Array.from(known, (row) => Math.sin(row[2]!));
      expect(predicted(name, targets)).toEqual(predicted(name, targets));
      const same = predicted(name, new Float64Array(300).fill(0.75));
      expect(largestDifference(same, new Float64Array(300).fill(0.75))).toBeLessThan(1e-12);
    },
  );

  test("the network depends on its seed, and not on targets' scale or level", () => {
    const targets = Float64Array.from(known, (row) => Math.tanh(row[2]! + row[4]!));
    const network = (own: Float64Array, seed: number): Float64Array =>
      networkPredictions(table, own, createRandom(seed));
    expect(network(targets, 1)).not.toEqual(network(targets, 2));
    const moved = network(
      targets.map((value) => 8 * value + 3),
      1,
    );
    expect(
      largestDifference(
        moved,
        network(targets, 1).map((value) => 8 * value + 3),
      ),
    ).toBeLessThan(1e-9);
  });

  test("features that say nothing leave the mean", () => {
    const blank: FeatureTable = { count: 40, width: 3, values: new Float64Array(120) };
    const targets = Float64Array.from({ length: 40 }, (_, i) => i % 5);
    for (const name of PREDICTORS) {
      const found = predictors(blank, createRandom(1))[name](targets, createRandom(1));
      expect(found.every((value) => value === found[0] && Math.abs(value - 2) < 1)).toBe(true);
    }
  });
});
