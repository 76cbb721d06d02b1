import { addGram, createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";

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
