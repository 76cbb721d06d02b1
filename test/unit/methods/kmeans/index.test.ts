import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import type {
  AnchorInput,
  AnchorMethod,
  ChosenAnchors,
} from "../../../../offline-trainer/src/anchors/anchor-method.ts";
import {
  correctnessKmeans,
  irtKmeans,
  clusterPoints,
  type Points,
} from "../../../../offline-trainer/src/methods/kmeans/index.ts";
import { anchorInput, anchorInputOf } from "../../../support/select-anchors.ts";
import { kmeans } from "ml-kmeans";
import { readFixture } from "../../../support/fixture.ts";

const draw = (method: AnchorMethod, input: AnchorInput): ChosenAnchors =>
  method.prepare(input).draw(input.random) as ChosenAnchors;

/** Items that are the same points in both spaces: value `at[i]`, twice. */
function placed(at: readonly number[], weights: readonly number[], sizes: readonly number[], seed = 1): AnchorInput {
  const total = weights.reduce((sum, value) => sum + value, 0);
  return anchorInputOf({
    weights: Float64Array.from(weights, (value) => value / total),
    accuracy: Float64Array.from(at, (_, i) => i / at.length),
    bank: itemBank(Float64Array.from(at), Float64Array.from(at)),
    abilities: Float64Array.of(-1, 0, 1),
    column: (item) => Float64Array.of(at[item]!, at[item]!),
    sizes,
    random: createRandom(seed),
  });
}

describe.each([irtKmeans, correctnessKmeans])("$name", (method) => {
  test("takes the item in the middle of each cluster, with the cluster's weight", () => {
    // Three clusters: 0, 1, 2 · 10, 11, 12 · 30.
    const input = placed([0, 1, 2, 10, 11, 12, 30], [1, 1, 1, 2, 2, 2, 5], [3]);
    const { items, mass } = draw(method, input).sets.get(3)!;
    expect(Array.from(items)).toEqual([1, 4, 6]);
    [3 / 14, 6 / 14, 5 / 14].forEach((value, j) => expect(mass[j]).toBeCloseTo(value, 14));
  });

  test("lets the weights move the middle", () => {
    // Among 0, 1, 2, 3 the heavy end has the mean near itself.
    const { items } = draw(method, placed([0, 1, 2, 3, 100], [1, 1, 1, 30, 1], [2])).sets.get(2)!;
    expect(Array.from(items)).toEqual([3, 4]);
  });

  test("has no item twice and loses no weight where items are duplicates of few points", () => {
    for (let seed = 0; seed < 30; seed++) {
      const at = [1, 1, 1, 1, 5, 5, 5, 9, 9, 9];
      const { items, mass } = draw(method, placed(at, [1, 2, 3, 4, 5, 4, 3, 2, 1, 1], [6], seed)).sets.get(6)!;
      // Three different points make three clusters, whatever was asked.
      expect(items.length).toBe(3);
      expect(new Set(Array.from(items, (item) => at[item]))).toEqual(new Set([1, 5, 9]));
      expect(mass.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
    }
  });

  test("has every item but one, and all of the weight, at one less than all", () => {
    for (let seed = 0; seed < 30; seed++) {
      const input = anchorInput({ items: 15, sizes: [14], seed });
      const { items, mass } = draw(method, input).sets.get(14)!;
      expect(new Set(items).size).toBe(14);
      expect(mass.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
      // Singletons have their own weight.
      const own = Array.from(items).filter((item, j) => Math.abs(mass[j]! - input.weights[item]!) < 1e-15).length;
      expect(own).toBe(13);
    }
  });

  test("says that its sizes aren't nested", () => {
    expect(draw(method, anchorInput()).nested).toBe(false);
  });
});

test("irt-kmeans looks at the item parameters only, correctness-kmeans at the answers only", () => {
  const input = anchorInput();
  const otherAnswers = { ...input, column: (item: number) => Float64Array.of(item % 2, item % 3) };
  const otherBank = { ...input, bank: itemBank(new Float64Array(40).fill(1), new Float64Array(40)) };
  const items = (method: AnchorMethod, given: AnchorInput): string => draw(method, given).sets.get(10)!.items.join();
  expect(items(irtKmeans, otherAnswers)).toBe(items(irtKmeans, input));
  expect(items(correctnessKmeans, otherBank)).toBe(items(correctnessKmeans, input));
  expect(items(irtKmeans, otherBank)).not.toBe(items(irtKmeans, input));
  expect(items(correctnessKmeans, otherAnswers)).not.toBe(items(correctnessKmeans, input));
});

/** scikit-learn: the least inertia of 200 starts, and the mean of 400 single ones from plain k-means++. */
const reference = readFixture<{
  tolerance: { least: number; deviations: number };
  cases: {
    name: string;
    count: number;
    dims: number;
    k: number;
    points: number[];
    weights: number[];
    least: number;
    single: { mean: number; standardError: number };
  }[];
}>("sklearn/kmeans.json");

function randomPoints(count: number, dims: number, seed = 1): Points {
  const random = createRandom(`points ${seed}`);
  return { count, dims, values: Float64Array.from({ length: count * dims }, () => random.normal()) };
}

const squareDistance = ({ dims, values }: Points, point: number, centroids: Float64Array, c: number): number => {
  let sum = 0;
  for (let d = 0; d < dims; d++) sum += (values[point * dims + d]! - centroids[c * dims + d]!) ** 2;
  return sum;
};

/** Clusters with their inertia, Σ w·|x − mean of its cluster|². */
function clustersOf(points: Points, weights: Float64Array, k: number, seed = 1) {
  const clusters = clusterPoints(points, weights, k, createRandom(seed), 300);
  return { ...clusters, inertia: inertiaOf(points, weights, clusters.labels, k) };
}

/** Least inertia of several seeds. */
function best(points: Points, weights: Float64Array, k: number, seeds: number): ReturnType<typeof clustersOf> {
  const found = Array.from({ length: seeds }, (_, seed) => clustersOf(points, weights, k, seed));
  return found.reduce((least, own) => (own.inertia < least.inertia ? own : least));
}

/** Σ w·|x − mean of its cluster|², from the labels alone. */
function inertiaOf(points: Points, weights: Float64Array, labels: ArrayLike<number>, k: number): number {
  const { count, dims, values } = points;
  const mass = new Float64Array(k);
  const means = new Float64Array(k * dims);
  for (let p = 0; p < count; p++) {
    mass[labels[p]!]! += weights[p]!;
    for (let d = 0; d < dims; d++) means[labels[p]! * dims + d]! += weights[p]! * values[p * dims + d]!;
  }
  for (let c = 0; c < k; c++) for (let d = 0; d < dims; d++) means[c * dims + d]! /= mass[c]!;
  let sum = 0;
  for (let p = 0; p < count; p++) sum += weights[p]! * squareDistance(points, p, means, labels[p]!);
  return sum;
}

test.each(reference.cases)("$name: as good a start as scikit-learn's on average, weights and all", (expected) => {
  const { count, dims, k, least, single } = expected;
  const points = { count, dims, values: Float64Array.from(expected.points) };
  const weights = Float64Array.from(expected.weights);
  const inertias: number[] = [];
  for (let seed = 0; seed < 400; seed++) inertias.push(clustersOf(points, weights, k, seed).inertia);
  const mean = inertias.reduce((sum, inertia) => sum + inertia, 0) / 400;
  // Both means have about the same standard error.
  const slack = reference.tolerance.deviations * Math.SQRT2 * single.standardError;
  expect(Math.abs(mean - single.mean)).toBeLessThan(slack);
  // None is better than the best there is; where the clusters are plain to see, that one is found.
  expect(Math.min(...inertias) / least).toBeGreaterThan(1 - reference.tolerance.least);
  if (expected.name === "blobs") expect(Math.min(...inertias) / least).toBeLessThan(1 + 1e-9);
});

test("equal weights: as well as ml-kmeans", () => {
  for (const [count, dims, k] of [
    [100, 2, 5],
    [120, 4, 10],
  ] as const) {
    const points = randomPoints(count, dims);
    const rows = Array.from({ length: count }, (_, p) => Array.from(points.values.subarray(p * dims, (p + 1) * dims)));
    const even = new Float64Array(count).fill(1);
    const other = Math.min(
      ...Array.from({ length: 25 }, (_, seed) => {
        const { clusters } = kmeans(rows, k, { seed, initialization: "kmeans++", maxIterations: 300 });
        return inertiaOf(points, even, clusters, k);
      }),
    );
    const own = best(points, even, k, 25).inertia;
    expect(own / other).toBeLessThan(1.01);
    expect(own / other).toBeGreaterThan(0.95); // better may be, but not by miscounting
  }
});

test("equal weights: weighted Lloyd's iteration ends where ml-kmeans's does from the same seeds", () => {
  for (const [count, dims, k] of [
    [300, 2, 8],
    [400, 11, 12],
  ] as const) {
    const points = randomPoints(count, dims);
    const even = new Float64Array(count).fill(1);
    // Weights that differ by rounding alone are seeded alike, and iterated by the weighted code.
    const uneven = even.with(0, 1 + Number.EPSILON);
    const [plain, weighted] = [even, uneven].map((weights) => clusterPoints(points, weights, k, createRandom(1), 300));
    expect(plain!.labels).toEqual(weighted!.labels);
    plain!.centroids.forEach((value, at) => expect(weighted!.centroids[at]).toBeCloseTo(value, 9));
  }
});

describe("the result", () => {
  const points = randomPoints(90, 3, 2);
  const random = createRandom("weights");
  const weights = Float64Array.from({ length: 90 }, () => 0.1 + random.next());
  const clusters = clustersOf(points, weights, 7);

  test("has every point at its nearest centroid, and every centroid at its points' weighted mean", () => {
    const { labels, centroids } = clusters;
    for (let p = 0; p < 90; p++)
      for (let c = 0; c < 7; c++)
        expect(squareDistance(points, p, centroids, labels[p]!)).toBeLessThanOrEqual(
          squareDistance(points, p, centroids, c) + 1e-12,
        );
    for (let c = 0; c < 7; c++)
      for (let d = 0; d < 3; d++) {
        let [sum, mass] = [0, 0];
        for (let p = 0; p < 90; p++)
          if (labels[p] === c) {
            sum += weights[p]! * points.values[p * 3 + d]!;
            mass += weights[p]!;
          }
        expect(centroids[c * 3 + d]).toBeCloseTo(sum / mass, 12);
      }
  });

  test("is the same with the same seed, and does not depend on the weights' scale", () => {
    expect(clustersOf(points, weights, 7)).toEqual(clusters);
    const scaled = clustersOf(
      points,
      weights.map((value) => 4 * value),
      7,
    );
    expect(scaled.labels).toEqual(clusters.labels);
    expect(scaled.inertia).toBeCloseTo(4 * clusters.inertia, 10);
  });

  test("follows the weights: a heavy point has a cluster of its own", () => {
    const line = { count: 5, dims: 1, values: Float64Array.of(0, 1, 2, 3, 10) };
    // Even weights cut off the outlier; once the weights make 0 and 1 matter, these two are told apart.
    expect(Array.from(best(line, Float64Array.of(1, 1, 1, 1, 1), 2, 10).labels).map(String)).toSatisfy(
      ([a, b, c, d, e]: string[]) => a === b && b === c && c === d && d !== e,
    );
    const heavy = best(line, Float64Array.of(1000, 1000, 1e-3, 1e-3, 1e-3), 2, 10);
    expect(heavy.labels[0]).not.toBe(heavy.labels[1]);
  });

  test("weights are repetitions: whole ones cluster as the repeated points do", () => {
    const few = randomPoints(30, 2, 3);
    const times = Float64Array.from({ length: 30 }, (_, p) => 1 + (p % 3));
    const rows = Array.from({ length: 30 }, (_, p) => p).flatMap((p) => new Array<number>(times[p]!).fill(p));
    const repeated: Points = {
      count: rows.length,
      dims: 2,
      values: Float64Array.from(rows.flatMap((p) => Array.from(few.values.subarray(2 * p, 2 * p + 2)))),
    };
    const one = best(few, times, 4, 30).inertia;
    const other = best(repeated, new Float64Array(rows.length).fill(1), 4, 30).inertia;
    expect(Math.abs(one / other - 1)).toBeLessThan(1e-6);
  });
});

describe("at the edges", () => {
  test("one cluster is the weighted mean", () => {
    const points = randomPoints(20, 2);
    const { centroids, labels } = clustersOf(points, new Float64Array(20).fill(1), 1);
    const mean = points.values.reduce((sum, value, k) => (k % 2 === 0 ? sum + value / 20 : sum), 0);
    expect(centroids[0]).toBeCloseTo(mean, 12);
    expect(new Set(labels)).toEqual(new Set([0]));
  });

  test("as many clusters as points leave no inertia", () => {
    const { labels, inertia } = clustersOf(randomPoints(15, 2), new Float64Array(15).fill(1), 15);
    expect(inertia).toBe(0);
    expect(new Set(labels).size).toBe(15);
  });

  test("more clusters than different points end, and lose nothing", () => {
    const points = { count: 9, dims: 1, values: Float64Array.of(1, 1, 1, 5, 5, 5, 9, 9, 9) };
    const { labels, inertia } = clustersOf(points, new Float64Array(9).fill(1), 6);
    expect(inertia).toBe(0);
    expect(Array.from(labels).every((label) => label >= 0 && label < 6)).toBe(true);
    expect(new Set(labels).size).toBe(3);
  });

  test("a cluster that loses all its points takes the farthest one", () => {
    // Across seeds every start is seen, also two seeds in one blob; none may end with fewer clusters than asked.
    const points = randomPoints(25, 2, 4);
    for (let seed = 0; seed < 40; seed++)
      expect(new Set(clustersOf(points, new Float64Array(25).fill(1), 12, seed).labels).size).toBe(12);
  });
});
