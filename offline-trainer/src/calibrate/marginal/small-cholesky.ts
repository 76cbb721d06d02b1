/**
 * Cholesky factor of a small symmetric matrix within a larger array, in place: the lower triangle becomes L.
 * @param at - where the n×n matrix begins, row-major
 * @returns whether it is positive definite; if not, it is left half done
 */
export function factorInPlace(matrix: Float64Array, at: number, n: number): boolean {
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = matrix[at + i * n + j]!;
      const pivot = 1e-12 * sum;
      for (let k = 0; k < j; k++) sum -= matrix[at + i * n + k]! * matrix[at + j * n + k]!;
      if (i !== j) matrix[at + i * n + j] = sum / matrix[at + j * n + j]!;
      else if (sum > pivot && sum > 0) matrix[at + i * n + i] = Math.sqrt(sum);
      else return false;
    }
  return true;
}

/** x = L⁻¹·v for n values from `from` on; x may be v. */
export function solveLower(
  l: Float64Array,
  at: number,
  n: number,
  v: Float64Array,
  x: Float64Array,
  from: number,
): void {
  for (let i = 0; i < n; i++) {
    let sum = v[from + i]!;
    for (let k = 0; k < i; k++) sum -= l[at + i * n + k]! * x[from + k]!;
    x[from + i] = sum / l[at + i * n + i]!;
  }
}

/** x = L⁻ᵀ·v for n values from `from` on; x may be v. */
export function solveUpper(
  l: Float64Array,
  at: number,
  n: number,
  v: Float64Array,
  x: Float64Array,
  from: number,
): void {
  for (let i = n - 1; i >= 0; i--) {
    let sum = v[from + i]!;
    for (let k = i + 1; k < n; k++) sum -= l[at + k * n + i]! * x[from + k]!;
    x[from + i] = sum / l[at + i * n + i]!;
  }
}
