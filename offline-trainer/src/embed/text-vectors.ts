/** Vectors of texts, one a row. */
export interface TextVectors {
  readonly count: number;
  readonly width: number;
  /** Row-major; rows of length 1, or 0. */
  readonly values: Float32Array;
}
