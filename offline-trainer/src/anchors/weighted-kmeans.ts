import type { RandomSource } from "anchoreval/core";

/** Points as rows of equal length. */
export interface Points {
  readonly count: number;
  readonly dims: number;
  /** count×dims, row-major. */
  readonly values: Float64Array;
}

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
 * @see Arthur & Vassilvitskii (2007), k-means++; Lloyd (1982)
 */
export function weightedKmeans(
  points: Points,
  weights: Float64Array,
  k: number,
  random: RandomSource,
  maxIterations = 100,
): Clusters {
  const { count, dims, values } = points;
  const centroids = seedCentroids(points, weights, k, random);
  const labels = new Int32Array(count).fill(-1);
  const distance = new Float64Array(count);
  let converged = false;
  let iterations = 0;
  while (iterations < maxIterations && !converged) {
    iterations++;
    converged = !assign(points, centroids, k, labels, distance);
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
      for (let p = 1; p < count; p++) if (distance[p]! > distance[farthest]!) farthest = p;
      for (let d = 0; d < dims; d++) centroids[c * dims + d] = values[farthest * dims + d]!;
      distance[farthest] = 0;
      converged = false;
    }
  }
  assign(points, centroids, k, labels, distance);
  let inertia = 0;
  for (let p = 0; p < count; p++) inertia += weights[p]! * distance[p]!;
  return { labels, centroids, inertia, iterations, converged };
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
      let square = 0;
      for (let d = 0; d < dims; d++) square += (values[p * dims + d]! - centroids[c * dims + d]!) ** 2;
      if (square < nearest[p]!) nearest[p] = square;
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

/** Gives every point its nearest centroid; true where a label changed. Ties go to the lower number. */
function assign(
  { count, dims, values }: Points,
  centroids: Float64Array,
  k: number,
  labels: Int32Array,
  distance: Float64Array,
): boolean {
  let changed = false;
  for (let p = 0; p < count; p++) {
    let best = -1;
    let least = Infinity;
    const row = p * dims;
    for (let c = 0; c < k; c++) {
      const centre = c * dims;
      let square = 0;
      for (let d = 0; d < dims && square < least; d++) square += (values[row + d]! - centroids[centre + d]!) ** 2;
      if (square < least) {
        least = square;
        best = c;
      }
    }
    if (labels[p] !== best) changed = true;
    labels[p] = best;
    distance[p] = least;
  }
  return changed;
}
