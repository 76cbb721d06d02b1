/** Points as rows of equal length. */
export interface Points {
  readonly count: number;
  readonly dims: number;
  /** count×dims, row-major. */
  readonly values: Float64Array;
}

/** The nearest centroid of every point. */
export interface Nearest {
  /** Its number: the lowest of those equally near; −1 where no distance is a number. */
  readonly labels: Int32Array;
  /** Squared distance to it, Σ_d (x_d − c_d)², added up in order; Infinity where there is none. */
  readonly squares: Float64Array;
}

/** Points on one device, to be assigned to k centroids again and again. */
export interface NearestCentroids {
  /** @param centroids - k×dims, row-major */
  assign(centroids: Float64Array): Promise<Nearest>;
  dispose(): Promise<void>;
}

/**
 * Something that finds nearest centroids. Whatever it computes with, labels and squared distances are those of the
 * plain sums in float64, to the last bit: the same points have the same clusters on every device.
 */
export interface NearestBackend {
  openNearest(points: Points, k: number): Promise<NearestCentroids>;
}
