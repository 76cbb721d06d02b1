import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { expect, test } from "vitest";
import { leadingComponents, symmetricEigen } from "../../../offline-trainer/src/numeric/eigen.ts";
import "../../support/arbitraries.ts";

/** Symmetric matrices, entries of any common scale, often with equal eigenvalues or rank deficiency. */
const arbSymmetric = fc
  .record({ n: fc.integer({ min: 1, max: 8 }), scale: fc.constantFrom(1e-8, 1, 1e6), coarse: fc.boolean() })
  .chain(({ n, scale, coarse }) =>
    fc
      .array(coarse ? fc.integer({ min: -1, max: 1 }) : fc.double({ min: -1, max: 1, noNaN: true }), {
        minLength: n * n,
        maxLength: n * n,
      })
      .map((values) => ({
        n,
        matrix: Float64Array.from({ length: n * n }, (_, k) => {
          const [r, c] = [Math.floor(k / n), k % n];
          const value = values[Math.min(r, c) * n + Math.max(r, c)]!;
          return Math.abs(value) < 1e-9 ? 0 : scale * value; // squares must not underflow
        }),
      })),
  );

const norm = (values: Float64Array): number => Math.hypot(...values);

test("A·v = λ·v, the vectors orthonormal, the values descending", () => {
  fc.assert(
    fc.property(arbSymmetric, ({ n, matrix }) => {
      const { values, vectors } = symmetricEigen(matrix, n);
      const size = norm(matrix);
      for (let k = 0; k < n; k++) {
        const v = vectors.subarray(k * n, (k + 1) * n);
        for (let r = 0; r < n; r++) {
          let row = 0;
          for (let c = 0; c < n; c++) row += matrix[r * n + c]! * v[c]!;
          expect(Math.abs(row - values[k]! * v[r]!)).toBeLessThanOrEqual(1e-13 * size);
        }
        for (let other = 0; other <= k; other++) {
          let inner = 0;
          for (let c = 0; c < n; c++) inner += v[c]! * vectors[other * n + c]!;
          expect(Math.abs(inner - (other === k ? 1 : 0))).toBeLessThan(1e-13);
        }
        if (k > 0) expect(values[k]!).toBeLessThanOrEqual(values[k - 1]!);
      }
    }),
  );
});

test("the values keep trace and norm", () => {
  fc.assert(
    fc.property(arbSymmetric, ({ n, matrix }) => {
      const before = matrix.slice();
      const { values } = symmetricEigen(matrix, n);
      let trace = 0;
      for (let k = 0; k < n; k++) trace += matrix[k * n + k]!;
      const size = norm(matrix);
      expect(Math.abs(values.reduce((sum, value) => sum + value, 0) - trace)).toBeLessThanOrEqual(1e-13 * size);
      expect(Math.abs(norm(values) - size)).toBeLessThanOrEqual(1e-13 * size);
      expect(matrix).toEqual(before);
    }),
  );
});

test.each([
  ["1×1", [-3], 1, [-3]],
  ["zero", [0, 0, 0, 0], 2, [0, 0]],
  ["diagonal", [1, 0, 0, 0, 5, 0, 0, 0, -2], 3, [5, 1, -2]],
  ["2×2", [2, 1, 1, 2], 2, [3, 1]],
  ["all ones", [1, 1, 1, 1, 1, 1, 1, 1, 1], 3, [3, 0, 0]],
  ["the second difference", [2, -1, 0, -1, 2, -1, 0, -1, 2], 3, [2 + Math.SQRT2, 2, 2 - Math.SQRT2]],
])("%s has the values of the textbook", (_, matrix, n, expected) => {
  const { values } = symmetricEigen(Float64Array.from(matrix), n);
  expected.forEach((value, k) => expect(values[k]).toBeCloseTo(value, 14));
});

const random = createRandom("components");
const SIZE = 6;
const rows = Array.from({ length: 9 }, () => Array.from({ length: SIZE }, (_, k) => random.normal() / (k + 1) ** 2));
const gram = Float64Array.from({ length: SIZE * SIZE }, (_, at) =>
  rows.reduce((sum, row) => sum + row[Math.floor(at / SIZE)]! * row[at % SIZE]!, 0),
);
const { values, vectors } = symmetricEigen(gram, SIZE);
const trace = values.reduce((sum, value) => sum + value, 0);

test("are as few as leave out no more than the share, in the eigenvectors' order", () => {
  for (const leftOut of [0, 1e-6, 1e-3, 0.05, 0.5, 1]) {
    const found = leadingComponents(gram, SIZE, { leftOut, most: SIZE });
    const leftBy = (rank: number): number => values.slice(rank).reduce((sum, value) => sum + value, 0);
    expect(leftBy(found.rank)).toBeLessThanOrEqual(leftOut * trace + 1e-12);
    if (found.rank > 1) expect(leftBy(found.rank - 1)).toBeGreaterThan(leftOut * trace);
    expect(found.vectors).toEqual(vectors);
  }
});

test("are no more than asked for, and one of nothing", () => {
  expect(leadingComponents(gram, SIZE, { leftOut: 0, most: 3 }).rank).toBe(3);
  expect(leadingComponents(new Float64Array(4), 2, { leftOut: 0.01, most: 2 }).rank).toBe(1);
});
