/** Rows of features, standardised: mean 0, and a standard deviation of 1, or 0 where a feature is constant. */
export interface FeatureTable {
  readonly count: number;
  readonly width: number;
  /** count×width, row-major. */
  readonly values: Float64Array;
}

/** @param rows - one at least, all of one length */
export function featureTable(rows: readonly Float64Array[]): FeatureTable {
  const count = rows.length;
  const width = rows[0]!.length;
  const values = new Float64Array(count * width);
  for (let f = 0; f < width; f++) {
    const mean = rows.reduce((sum, row) => sum + row[f]!, 0) / count;
    const deviation = Math.sqrt(rows.reduce((sum, row) => sum + (row[f]! - mean) ** 2, 0) / count);
    if (deviation > 1e-9 * Math.abs(mean))
      rows.forEach((row, i) => (values[i * width + f] = (row[f]! - mean) / deviation));
  }
  return { count, width, values };
}
