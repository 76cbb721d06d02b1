import type { Nearest, NearestCentroids, Points } from "../clustering/nearest-centroids.ts";

/** Dimensions between two looks at whether a sum can still be the least: each look costs as much as a dimension. */
const STRIDE = 8;

/** Nearest centroids as every backend must find them: one distance after the other. */
export function nearestInFloat64(points: Points, k: number): NearestCentroids {
  return {
    assign: (centroids) => {
      const nearest = { labels: new Int32Array(points.count), squares: new Float64Array(points.count) };
      for (let p = 0; p < points.count; p++) assignPoint(points, p, centroids, k, nearest);
      return Promise.resolve(nearest);
    },
    dispose: () => Promise.resolve(),
  };
}

/**
 * Finds the nearest centroid of one point. A sum that has reached the least one is left: it can't win any more, and a
 * tie goes to the lower number.
 * @param nearest - filled at the point
 */
export function assignPoint(
  { dims, values }: Points,
  point: number,
  centroids: Float64Array,
  k: number,
  { labels, squares }: Nearest,
): void {
  const row = point * dims;
  let best = -1;
  let least = Infinity;
  for (let c = 0; c < k; c++) {
    const centre = c * dims;
    let square = 0;
    for (let d = 0; d < dims && square < least;) {
      const stop = Math.min(dims, d + STRIDE);
      for (; d < stop; d++) {
        const gap = values[row + d]! - centroids[centre + d]!;
        square += gap * gap;
      }
    }
    if (square < least) {
      least = square;
      best = c;
    }
  }
  labels[point] = best;
  squares[point] = least;
}

/** Squared distance of a point to one centroid: the same sum. */
export function squareDistance({ dims, values }: Points, point: number, centroids: Float64Array, c: number): number {
  let square = 0;
  for (let d = 0; d < dims; d++) {
    const gap = values[point * dims + d]! - centroids[c * dims + d]!;
    square += gap * gap;
  }
  return square;
}
