/**
 * Cholesky factor L (lower, row-major) of a symmetric positive definite matrix: A = L·Lᵀ.
 * @param matrix - n×n, row-major; only the lower triangle is read.
 * @param l - filled and returned; above the diagonal it is left alone
 * @returns L, or null where a pivot is not positive (the matrix is not positive definite).
 */
export function cholesky(matrix: Float64Array, n: number, l = new Float64Array(n * n)): Float64Array | null {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * n + j]!;
      for (let k = 0; k < j; k++) sum -= l[i * n + k]! * l[j * n + k]!;
      if (i === j) {
        if (!(sum > 0)) return null;
        l[i * n + i] = Math.sqrt(sum);
      } else {
        l[i * n + j] = sum / l[j * n + j]!;
      }
    }
  }
  return l;
}

/** Solves L·Lᵀ·x = rhs for one right-hand side. */
export function choleskySolve(l: Float64Array, n: number, rhs: Float64Array): Float64Array {
  const x = rhs.slice();
  choleskySolveAt(l, n, x, 0);
  return x;
}

/** The same in place, of the right-hand side that begins at `begin` of x. */
export function choleskySolveAt(l: Float64Array, n: number, x: Float64Array, begin: number): void {
  for (let i = 0; i < n; i++) {
    let sum = x[begin + i]!;
    for (let k = 0; k < i; k++) sum -= l[i * n + k]! * x[begin + k]!;
    x[begin + i] = sum / l[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[begin + i]!;
    for (let k = i + 1; k < n; k++) sum -= l[k * n + i]! * x[begin + k]!;
    x[begin + i] = sum / l[i * n + i]!;
  }
}

/** (L·Lᵀ)⁻¹, row-major. */
export function choleskyInverse(l: Float64Array, n: number): Float64Array {
  const inverse = new Float64Array(n * n);
  const column = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    column.fill(0);
    column[j] = 1;
    choleskySolveAt(l, n, column, 0);
    for (let i = 0; i < n; i++) inverse[i * n + j] = column[i]!;
  }
  return inverse;
}

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

/** aᵀMa of a vector that stands somewhere in a longer array. @param matrix - D×D row-major */
export function quadraticForm(a: ArrayLike<number>, begin: number, matrix: ArrayLike<number>, dims: number): number {
  let sum = 0;
  for (let r = 0; r < dims; r++) {
    let product = 0;
    for (let c = 0; c < dims; c++) product += matrix[r * dims + c]! * a[begin + c]!;
    sum += a[begin + r]! * product;
  }
  return sum;
}
