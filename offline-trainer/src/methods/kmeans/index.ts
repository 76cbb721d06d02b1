import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { hardFirst, type AnchorInput, type AnchorMethod, type ChosenAnchors } from "../../anchors/anchor-method.ts";
import { DEFAULT_SETTINGS } from "../settings.ts";
import type { Method } from "../method.ts";
import { kmeans } from "ml-kmeans";

/**
 * `irt-kmeans`: clusters of items in the space of their parameters (a_1…a_D, b); the anchor is the item nearest to the
 * centroid, its mass the cluster's weight.
 * @see Maia Polo et al. (2024), tinyBenchmarks
 */
export const irtKmeans: AnchorMethod = {
  name: "irt-kmeans",
  source: { module: import.meta.url, name: "irtKmeans" },
  drawn: false,
  estimator: "gp-irt",
  prepare: (input) => {
    const { count, dims, a, b } = input.bank;
    const values = Float64Array.from({ length: count * (dims + 1) }, (_, at) => {
      const [i, d] = [Math.floor(at / (dims + 1)), at % (dims + 1)];
      return d < dims ? a[i * dims + d]! : b[i]!;
    });
    return { draw: (random) => kmeansAnchors({ count, dims: dims + 1, values }, input, random) };
  },
};

/** `correctness-kmeans`: the same in the space of the source models' answers. */
export const correctnessKmeans: AnchorMethod = {
  name: "correctness-kmeans",
  source: { module: import.meta.url, name: "correctnessKmeans" },
  drawn: false,
  estimator: "gp-irt",
  prepare: (input) => {
    const count = input.weights.length;
    const dims = input.column(0).length;
    const values = new Float64Array(count * dims);
    for (let i = 0; i < count; i++) values.set(input.column(i), i * dims);
    return { draw: (random) => kmeansAnchors({ count, dims, values }, input, random) };
  },
};

/** Each size has clusters of its own, so the sizes aren't nested. No item is the anchor of two clusters. */
function kmeansAnchors(
  points: Points,
  { weights, accuracy, sizes }: Pick<AnchorInput, "weights" | "accuracy" | "sizes">,
  random: RandomSource,
): ChosenAnchors {
  const sorted = hardFirst(accuracy);
  const sets = new Map<number, AnchorSet>();
  for (const size of sizes) {
    const { labels, centroids } = clusterPoints(points, weights, size, random.fork(`size ${size}`));
    const mass = new Float64Array(size);
    labels.forEach((label, i) => (mass[label]! += weights[i]!));
    const chosen = new Map<number, number>();
    for (let c = 0; c < size; c++) {
      if (!(mass[c]! > 0)) continue; // duplicates of one point can leave a cluster empty
      let best = -1;
      let least = Infinity;
      for (let i = 0; i < points.count; i++) {
        if (chosen.has(i)) continue;
        let square = 0;
        for (let d = 0; d < points.dims && square < least; d++)
          square += (points.values[i * points.dims + d]! - centroids[c * points.dims + d]!) ** 2;
        if (square < least) [least, best] = [square, i];
      }
      chosen.set(best, mass[c]!);
    }
    const items = Uint32Array.from(sorted(chosen.keys()));
    sets.set(size, { items, inclusion: null, mass: Float64Array.from(items, (item) => chosen.get(item)!) });
  }
  return { sets, nested: false };
}

/**
 * Clusters of items in the space of their parameters, and λ between their weighted mean and p-IRT by the notebooks' rule;
 * their six sizes. Every scenario has an ability of its own.
 * @see Maia Polo et al. (2024), tinyBenchmarks, ICML
 */
export const tinybenchmarks: Method = {
  name: "tinybenchmarks",
  summary: "k-means on item parameters, gp-IRT with the notebooks' λ",
  settings: { ...DEFAULT_SETTINGS, selection: "irt-kmeans", estimator: "gp-irt", lambda: "reference", linked: false },
  anchors: irtKmeans,
  sizes: [10, 15, 20, 30, 50, 100],
};

export interface Points {
  readonly count: number;
  readonly dims: number;
  /** count×dims, row-major. */
  readonly values: Float64Array;
}

/** Dimensions between two checks whether a sum can still be the least: each check costs as much as a dimension. */
const STRIDE = 8;

/**
 * k-means: k-means++ seeding in proportion to weight·distance², then Lloyd's iteration. ml-kmeans iterates where all
 * points weigh the same, from our seeds, so that the random stream alone decides; {@link weightedLloyd} where they don't,
 * or where ml-kmeans leaves a cluster empty.
 * @param weights - one positive weight a point
 * @param k - at most the number of points; fewer clusters have points where fewer points differ
 * @returns the centroid nearest to each point, and the centroids, k×dims row-major
 * @see Arthur & Vassilvitskii (2007), k-means++; Lloyd (1982), IEEE Transactions on Information Theory 28, 129–137
 */
export function clusterPoints(
  points: Points,
  weights: Float64Array,
  k: number,
  random: RandomSource,
  maxIterations = 100,
) {
  const seeds = seedCentroids(points, weights, k, random);
  const plain = weights.every((weight) => weight === weights[0]) ? plainLloyd(points, k, seeds, maxIterations) : null;
  const centroids = plain
    ? weightedMeans(points, weights, plain, k).centroids
    : weightedLloyd(points, weights, k, seeds, maxIterations);
  return { labels: nearestCentroids(points, centroids, k).labels, centroids };
}

/** Clusters of the last step of Lloyd's iteration by ml-kmeans; null where one is left without points. */
function plainLloyd(points: Points, k: number, seeds: Float64Array, maxIterations: number): ArrayLike<number> | null {
  const [rows, initialization] = [points.values, seeds].map((values) =>
    Array.from({ length: values.length / points.dims }, (_, p) =>
      Array.from(values.subarray(p * points.dims, (p + 1) * points.dims)),
    ),
  ) as [number[][], number[][]];
  const { clusters } = kmeans(rows, k, { initialization, tolerance: 0, maxIterations });
  return new Set(clusters).size === k ? clusters : null;
}

/** Lloyd's iteration with weights. An emptied cluster is given the point that is farthest from its own centroid. */
function weightedLloyd(
  points: Points,
  weights: Float64Array,
  k: number,
  seeds: Float64Array,
  maxIterations: number,
): Float64Array {
  const { count, dims, values } = points;
  let centroids = seeds;
  let labels: Int32Array = new Int32Array(count).fill(-1);
  let converged = false;
  for (let iteration = 0; iteration < maxIterations && !converged; iteration++) {
    const { labels: nearest, squares } = nearestCentroids(points, centroids, k);
    converged = nearest.every((label, p) => label === labels[p]);
    labels = nearest;
    const means = weightedMeans(points, weights, labels, k);
    centroids = means.centroids;
    for (let c = 0; c < k; c++) {
      if (means.mass[c]! > 0) continue;
      let farthest = 0;
      for (let p = 1; p < count; p++) if (squares[p]! > squares[farthest]!) farthest = p;
      centroids.set(values.subarray(farthest * dims, (farthest + 1) * dims), c * dims);
      squares[farthest] = 0;
      converged = false;
    }
  }
  return centroids;
}

/** Weight and weighted mean of every cluster; 0 and zeros of one without points. */
function weightedMeans({ count, dims, values }: Points, weights: Float64Array, labels: ArrayLike<number>, k: number) {
  const mass = new Float64Array(k);
  const centroids = new Float64Array(k * dims);
  for (let p = 0; p < count; p++) {
    const label = labels[p]!;
    mass[label]! += weights[p]!;
    for (let d = 0; d < dims; d++) centroids[label * dims + d]! += weights[p]! * values[p * dims + d]!;
  }
  for (let at = 0; at < centroids.length; at++) {
    const clusterMass = mass[Math.floor(at / dims)]!;
    if (clusterMass > 0) centroids[at]! /= clusterMass;
  }
  return { mass, centroids };
}

/** The nearest centroid of every point, the lowest of those equally near, and the squared distance to it. */
function nearestCentroids(points: Points, centroids: Float64Array, k: number) {
  const { count } = points;
  const labels = new Int32Array(count).fill(-1);
  const squares = new Float64Array(count).fill(Infinity);
  for (let p = 0; p < count; p++) {
    for (let c = 0; c < k; c++) {
      const square = distance(points, p, centroids, c, squares[p]!);
      if (square < squares[p]!) {
        squares[p] = square;
        labels[p] = c;
      }
    }
  }
  return { labels, squares };
}

/** Squared distance of point p from centroid c; a sum that has reached `least` is left. */
function distance({ dims, values }: Points, p: number, centroids: Float64Array, c: number, least: number): number {
  const [row, centre] = [p * dims, c * dims];
  let square = 0;
  for (let d = 0; d < dims && square < least;) {
    const stop = Math.min(dims, d + STRIDE);
    for (; d < stop; d++) {
      const gap = values[row + d]! - centroids[centre + d]!;
      square += gap * gap;
    }
  }
  return square;
}

function seedCentroids(points: Points, weights: Float64Array, k: number, random: RandomSource): Float64Array {
  const { count, dims, values } = points;
  const centroids = new Float64Array(k * dims);
  const nearest = new Float64Array(count).fill(Infinity);
  let next = drawPosition(weights, random);
  for (let c = 0; c < k; c++) {
    centroids.set(values.subarray(next * dims, (next + 1) * dims), c * dims);
    for (let p = 0; p < count; p++) {
      nearest[p] = Math.min(nearest[p]!, distance(points, p, centroids, c, nearest[p]!));
    }
    const masses = nearest.map((square, p) => square * weights[p]!);
    if (c + 1 < k) next = drawPosition(masses, random);
  }
  return centroids;
}

/** A position drawn in proportion to the masses; uniform where all are zero. */
function drawPosition(masses: Float64Array, random: RandomSource): number {
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  if (!(total > 0)) return random.below(masses.length);
  let left = random.next() * total;
  for (let p = 0; p < masses.length; p++) {
    left -= masses[p]!;
    if (left < 0) return p;
  }
  return masses.length - 1;
}
