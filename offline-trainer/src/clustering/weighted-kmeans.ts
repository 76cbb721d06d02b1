import type { RandomSource } from "anchoreval/core";
import type { NearestBackend, NearestCentroids, Points } from "./nearest-centroids.ts";

/** Points by the centroid nearest to each. */
export interface Clusters {
  /** Cluster of every point. */
  readonly labels: Int32Array;
  /** k×dims, row-major. */
  readonly centroids: Float64Array;
  /** Σ weight·distance². */
  readonly inertia: number;
  readonly iterations: number;
  readonly converged: boolean;
}

/**
 * Weighted k-means: k-means++ seeding in proportion to weight·distance², then Lloyd's iteration. An emptied cluster is
 * given the point that is farthest from its own centroid.
 * @param weights - one positive weight a point
 * @param backend - finds nearest centroids; which one makes no difference to the clusters
 * @see Arthur & Vassilvitskii (2007), k-means++; Lloyd (1982)
 */
export async function weightedKmeans(
  points: Points,
  weights: Float64Array,
  k: number,
  random: RandomSource,
  backend: NearestBackend,
  maxIterations = 100,
): Promise<Clusters> {
  const search = await backend.openNearest(points, k);
  try {
    return await lloyd(points, weights, k, seedCentroids(points, weights, k, random), search, maxIterations);
  } finally {
    await search.dispose();
  }
}

/** @param centroids - where it begins; moved */
async function lloyd(
  { count, dims, values }: Points,
  weights: Float64Array,
  k: number,
  centroids: Float64Array,
  search: NearestCentroids,
  maxIterations: number,
): Promise<Clusters> {
  let labels: Int32Array = new Int32Array(count).fill(-1);
  let converged = false;
  let iterations = 0;
  while (iterations < maxIterations && !converged) {
    iterations++;
    const { labels: nearest, squares } = await search.assign(centroids);
    converged = nearest.every((label, p) => label === labels[p]);
    labels = nearest;
    const mass = new Float64Array(k);
    centroids.fill(0);
    for (let p = 0; p < count; p++) {
      const label = labels[p]!;
      mass[label] = mass[label]! + weights[p]!;
      for (let d = 0; d < dims; d++) centroids[label * dims + d]! += weights[p]! * values[p * dims + d]!;
    }
    for (let c = 0; c < k; c++) {
      if (mass[c]! > 0) {
        for (let d = 0; d < dims; d++) centroids[c * dims + d]! /= mass[c]!;
        continue;
      }
      let farthest = 0;
      for (let p = 1; p < count; p++) if (squares[p]! > squares[farthest]!) farthest = p;
      for (let d = 0; d < dims; d++) centroids[c * dims + d] = values[farthest * dims + d]!;
      squares[farthest] = 0;
      converged = false;
    }
  }
  const nearest = await search.assign(centroids);
  let inertia = 0;
  for (let p = 0; p < count; p++) inertia += weights[p]! * nearest.squares[p]!;
  return { labels: nearest.labels, centroids, inertia, iterations, converged };
}

function seedCentroids(
  { count, dims, values }: Points,
  weights: Float64Array,
  k: number,
  random: RandomSource,
): Float64Array {
  const centroids = new Float64Array(k * dims);
  const nearest = new Float64Array(count).fill(Infinity);
  let next = pick(weights, random);
  for (let c = 0; c < k; c++) {
    centroids.set(values.subarray(next * dims, (next + 1) * dims), c * dims);
    for (let p = 0; p < count; p++) {
      const least = nearest[p]!;
      let square = 0;
      for (let d = 0; d < dims && square < least; d++) {
        const gap = values[p * dims + d]! - centroids[c * dims + d]!;
        square += gap * gap;
      }
      if (square < least) nearest[p] = square;
    }
    if (c + 1 < k)
      next = pick(
        nearest.map((square, p) => square * weights[p]!),
        random,
      );
  }
  return centroids;
}

/** A position drawn in proportion to the masses; uniform where all are zero. */
function pick(masses: Float64Array, random: RandomSource): number {
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  if (!(total > 0)) return random.below(masses.length);
  let left = random.next() * total;
  for (let p = 0; p < masses.length; p++) {
    left -= masses[p]!;
    if (left < 0) return p;
  }
  return masses.length - 1;
}
