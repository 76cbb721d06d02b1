import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { type ItemProfile, randomFeatures, rootMeanSquaredDistance } from "../../../../offline-trainer/src/methods/sublime/profile.ts";
import { subsetFeatures } from "../../../../offline-trainer/src/methods/sublime/choose-subset.ts";
import { largestDifference, readFixture } from "../../../support/fixture.ts";

interface Fixture extends Record<"weights" | "points" | "labels" | "kernel" | "scores", readonly number[]> {
  readonly tolerance: number;
  readonly models: number;
  readonly clusters: number;
  readonly dims: number;
  readonly width: number;
  readonly columns: readonly (readonly number[])[];
  readonly distance: number;
  readonly cases: readonly { readonly subset: readonly number[]; readonly expected: readonly number[] }[];
}

const fixture = readFixture<Fixture>("subsets/features.json");
const count = fixture.weights.length;
const weights = Float64Array.from(fixture.weights);
const points = { count, dims: fixture.dims, values: Float64Array.from(fixture.points) };
const kernel = Float64Array.from(fixture.kernel);
const anchors = { models: fixture.models, items: count, scores: Float64Array.from(fixture.scores) };
const weighted = (values: Float64Array, width: number): Float64Array => {
  const sum = new Float64Array(width);
  values.forEach((value, at) => (sum[at % width]! += weights[Math.floor(at / width)]! * value));
  return sum;
};
const profile: ItemProfile = {
  count,
  weights,
  columns: fixture.columns.map((values, c) => ({ name: String(c), values: Float64Array.from(values) })),
  points,
  distance: fixture.distance,
  clusters: fixture.clusters,
  labels: Int32Array.from(fixture.labels),
  subscenarios: null,
  strata: null,
  kernel: { width: fixture.width, values: kernel, mean: weighted(kernel, fixture.width) },
};
const full = weighted(anchors.scores, fixture.models);

describe("subsetFeatures", () => {
  test.each(fixture.cases)("as NumPy and SciPy say of $subset.length items", ({ subset, expected }) => {
    const found = subsetFeatures({ profile, anchors, full }, Uint32Array.from(subset));
    // A single item's scores needn't be those of a constant: SciPy has no correlation there.
    expect(largestDifference(found, expected)).toBeLessThanOrEqual(fixture.tolerance);
  });

  test("correlations that aren't there are 0: anchor models that all score the same", () => {
    const same = { ...anchors, scores: new Float64Array(anchors.scores.length).fill(0.5) };
    const found = subsetFeatures({ profile, anchors: same, full }, Uint32Array.of(1, 2, 3));
    expect(Array.from(found.slice(-3))).toEqual([0, 0, 0]);
    expect(found.every(Number.isFinite)).toBe(true);
  });
});

test("rootMeanSquaredDistance is SciPy's over all pairs; 0 of one point", () => {
  expect(rootMeanSquaredDistance(points)).toBeCloseTo(fixture.distance, 12);
  expect(rootMeanSquaredDistance({ count: 1, dims: 2, values: Float64Array.of(3, 4) })).toBe(0);
});

test("randomFeatures: inner products are near the Gaussian kernel", () => {
  const width = 4096;
  const features = randomFeatures(points, width, createRandom("kernel"));
  for (let i = 0; i < count; i++)
    for (let j = 0; j <= i; j++) {
      let [product, square] = [0, 0];
      for (let f = 0; f < width; f++) product += features[i * width + f]! * features[j * width + f]!;
      for (let d = 0; d < points.dims; d++)
        square += (points.values[i * points.dims + d]! - points.values[j * points.dims + d]!) ** 2;
      // Standard error 1/√D at most.
      expect(Math.abs(product - Math.exp(-square / (2 * fixture.distance ** 2)))).toBeLessThan(5 / Math.sqrt(width));
    }
});
