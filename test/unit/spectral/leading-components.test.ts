import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import { leadingComponents, symmetricEigen } from "../../../offline-trainer/src/numeric/eigen.ts";

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
