/**
 * Eigenvalues and -vectors of a small symmetric matrix by Jacobi's rotations, largest first.
 * @param matrix - n×n, row-major; not changed
 * @returns `vectors[k·n + …]` is the k-th unit eigenvector
 * @see Golub & Van Loan (2013), Matrix Computations, §8.5
 */
export function symmetricEigen(matrix: Float64Array, n: number): { values: Float64Array; vectors: Float64Array } {
  const m = Float64Array.from(matrix);
  const v = new Float64Array(n * n);
  for (let k = 0; k < n; k++) v[k * n + k] = 1;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    let scale = 0;
    for (let r = 0; r < n; r++)
      for (let c = 0; c < n; c++) {
        if (r !== c) off += m[r * n + c]! ** 2;
        scale += m[r * n + c]! ** 2;
      }
    if (off <= 1e-30 * scale) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const apq = m[p * n + q]!;
        if (apq === 0) continue;
        const tau = (m[q * n + q]! - m[p * n + p]!) / (2 * apq);
        const t = Math.sign(tau || 1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
        const c = 1 / Math.sqrt(1 + t * t);
        const s = t * c;
        const angle = { c, s };
        const rows = { p: p * n, q: q * n, stride: 1 };
        rotate(m, n, { p, q, stride: n }, angle);
        rotate(m, n, rows, angle);
        rotate(v, n, rows, angle);
      }
  }
  const order = Array.from({ length: n }, (_, k) => k).sort((x, y) => m[y * n + y]! - m[x * n + x]!);
  return {
    values: Float64Array.from(order, (k) => m[k * n + k]!),
    vectors: Float64Array.from({ length: n * n }, (_, k) => v[order[Math.floor(k / n)]! * n + (k % n)]!),
  };
}

/** Turns n pairs of numbers, that begin at p and q and are `stride` apart, by an angle of cosine c and sine s. */
function rotate(
  x: Float64Array,
  n: number,
  { p: from, q: other, stride }: { readonly p: number; readonly q: number; readonly stride: number },
  { c, s }: { readonly c: number; readonly s: number },
): void {
  for (let k = 0, p = from, q = other; k < n; k++, p += stride, q += stride) {
    const value = x[p]!;
    x[p] = c * value - s * x[q]!;
    x[q] = s * value + c * x[q]!;
  }
}

/**
 * The leading principal components of a Gram matrix: as few as hold all but a share `leftOut` of its trace.
 * @param gram - size×size, row-major, positive semidefinite
 * @param most - components at most
 * @returns `vectors[k·size + …]` is the k-th unit eigenvector, k < rank; at least one
 * @see Jolliffe (2002), Principal Component Analysis, §6.1.1
 */
export function leadingComponents(
  gram: Float64Array,
  size: number,
  { leftOut, most }: { readonly leftOut: number; readonly most: number },
): { rank: number; vectors: Float64Array } {
  const { values, vectors } = symmetricEigen(gram, size);
  const total = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  let rank = 1;
  for (let left = total - values[0]!; left > leftOut * total && rank < Math.min(most, size); rank++)
    left -= values[rank]!;
  return { rank, vectors };
}
