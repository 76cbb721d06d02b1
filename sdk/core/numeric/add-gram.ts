/**
 * Adds Σ_j w_j·x_j·x_jᵀ to the lower triangle of a matrix. Four rows at a time, so that an entry is read and written once
 * for them; it still adds them up one after the other, in their order.
 * @param matrix - n×n, row-major; above the diagonal it is left alone
 * @param rows - x, at least count×n, row-major
 * @param weights - w, of either sign, at least `count`
 * @param count - rows that are added
 */
export function addGram(
  matrix: Float64Array,
  n: number,
  rows: Float64Array,
  weights: Float64Array,
  count: number,
): void {
  let j = 0;
  for (; j + 3 < count; j += 4) {
    const first = j * n;
    const second = first + n;
    const third = second + n;
    const fourth = third + n;
    for (let r = 0; r < n; r++) {
      const w1 = weights[j]! * rows[first + r]!;
      const w2 = weights[j + 1]! * rows[second + r]!;
      const w3 = weights[j + 2]! * rows[third + r]!;
      const w4 = weights[j + 3]! * rows[fourth + r]!;
      const line = r * n;
      for (let c = 0; c <= r; c++)
        matrix[line + c] =
          matrix[line + c]! +
          w1 * rows[first + c]! +
          w2 * rows[second + c]! +
          w3 * rows[third + c]! +
          w4 * rows[fourth + c]!;
    }
  }
  for (; j < count; j++) {
    const row = j * n;
    for (let r = 0; r < n; r++) {
      const weight = weights[j]! * rows[row + r]!;
      const line = r * n;
      for (let c = 0; c <= r; c++) matrix[line + c] = matrix[line + c]! + weight * rows[row + c]!;
    }
  }
}
