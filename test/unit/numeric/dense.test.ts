import { addGram, cholesky, choleskyInverse, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { largestDifference } from "../../support/fixture.ts";

/** B·Bᵀ + n·I: positive definite, with a condition number near 10. */
function positiveDefinite(n: number, seed: string): Float64Array {
  const random = createRandom(seed);
  const b = Float64Array.from({ length: n * n }, () => random.normal());
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      let sum = i === j ? n : 0;
      for (let k = 0; k < n; k++) sum += b[i * n + k]! * b[j * n + k]!;
      out[i * n + j] = sum;
    }
  return out;
}

function product(x: Float64Array, y: Float64Array, n: number): Float64Array {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) out[i * n + j]! += x[i * n + k]! * y[k * n + j]!;
  return out;
}

const transpose = (x: Float64Array, n: number): Float64Array => x.map((_, k) => x[(k % n) * n + Math.floor(k / n)]!);
const identity = (n: number): Float64Array =>
  Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));

describe.each([1, 2, 3, 7, 20])("a positive definite matrix of order %i", (n) => {
  const a = positiveDefinite(n, `order ${n}`);
  const l = cholesky(a, n)!;
  // Backward stable: errors are a few roundings of the entries, which are below 4n here.
  const tolerance = 4 * n * n * 2 ** -52;

  test("A = L·Lᵀ, L lower triangular with a positive diagonal", () => {
    expect(largestDifference(product(l, transpose(l, n), n), a)).toBeLessThan(tolerance);
    for (let i = 0; i < n; i++) {
      expect(l[i * n + i]).toBeGreaterThan(0);
      for (let j = i + 1; j < n; j++) expect(l[i * n + j]).toBe(0);
    }
  });

  test("A·x = rhs, and the right-hand side is left alone", () => {
    const x = Float64Array.from({ length: n }, (_, i) => Math.sin(i + 1));
    const rhs = new Float64Array(n);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) rhs[i]! += a[i * n + j]! * x[j]!;
    const before = Float64Array.from(rhs);
    expect(largestDifference(choleskySolve(l, n, rhs), x)).toBeLessThan(tolerance);
    expect(rhs).toEqual(before);
  });

  test("A·A⁻¹ = I", () => {
    expect(largestDifference(product(a, choleskyInverse(l, n), n), identity(n))).toBeLessThan(tolerance);
  });
});

test("reads the lower triangle only", () => {
  expect(cholesky(Float64Array.of(4, NaN, 2, 5), 2)).toEqual(Float64Array.of(2, 0, 1, 2));
});

test.each([
  ["indefinite", [1, 2, 2, 1]],
  ["singular", [1, 1, 1, 1]],
  ["negative", [-1, 0, 0, 1]],
  ["zero", [0, 0, 0, 0]],
  ["not a number", [NaN, 0, 0, 1]],
])("%s gives null", (_, entries) => {
  expect(cholesky(Float64Array.from(entries), 2)).toBeNull();
});

const SIZE = 3;

/** Σ w·x·xᵀ added one row after the other, the entries above the diagonal as they were. */
function plain(matrix: Float64Array, rows: Float64Array, weights: Float64Array, count: number): Float64Array {
  const sum = matrix.slice();
  for (let j = 0; j < count; j++)
    for (let r = 0; r < SIZE; r++)
      for (let c = 0; c <= r; c++)
        sum[r * SIZE + c] = sum[r * SIZE + c]! + weights[j]! * rows[j * SIZE + r]! * rows[j * SIZE + c]!;
  return sum;
}

describe.each([0, 1, 3, 4, 7, 8, 21])("%i rows", (count) => {
  const random = createRandom(`${count} rows`);
  const normals = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
  const [matrix, rows, weights] = [normals(SIZE * SIZE), normals((count + 2) * SIZE), normals(count + 2)];

  test("are added in their order, to the last bit, and no row beyond them", () => {
    const sum = matrix.slice();
    addGram(sum, SIZE, rows, weights, count);
    expect(sum).toEqual(plain(matrix, rows, weights, count));
  });
});
