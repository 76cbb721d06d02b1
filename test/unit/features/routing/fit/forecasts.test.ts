import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { nearestQuestions, neighbourPredictor } from "../../../../../features/routing/fit/forecasts.ts";
import { sparseRows, transposed, unitRows } from "../../../../../offline-trainer/src/numeric/sparse-rows.ts";

const N = 60;
const [D, C] = [2, 3];
const random = createRandom("neighbour parameters");
const draw = (count: number): Float64Array => Float64Array.from({ length: count }, () => random.normal());
const bank = { dims: D, a: draw(N * D), b: draw(N) };
const coordinates = draw(N * C);
coordinates.fill(0, 7 * C, 8 * C); // a text without a known term
const row = (i: number): Float64Array => coordinates.subarray(i * C, (i + 1) * C);

/** Means over the nearest by cosine, by sorting. */
function byHand(own: Float64Array, k: number, weighted: boolean, without = -1): { a: number[]; b: number } {
  const length = (x: Float64Array): number => Math.hypot(...x);
  const nearest = Array.from({ length: N }, (_, i) => i)
    .filter((i) => i !== without)
    .map((i) => {
      const product = own.reduce((sum, x, c) => sum + x * row(i)[c]!, 0);
      return { i, cosine: length(row(i)) === 0 ? 0 : product / length(row(i)) / length(own) };
    })
    .sort((x, y) => y.cosine - x.cosine || x.i - y.i)
    .slice(0, k)
    .map(({ i, cosine }) => ({ i, weight: weighted ? Math.max(0, cosine) : 1 }));
  const total = nearest.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (of: (i: number) => number): number =>
    nearest.reduce((sum, { i, weight }) => sum + (weight / total) * of(i), 0);
  return { a: [0, 1].map((d) => mean((i) => bank.a[i * D + d]!)), b: mean((i) => bank.b[i]!) };
}

describe.each([
  [1, false],
  [5, false],
  [5, true],
  [20, true],
])("%i neighbours, weighted: %s", (k, weighted) => {
  const predict = neighbourPredictor(bank, coordinates, C, { k, weighted });

  test("parameters are their means", () => {
    for (let q = 0; q < 10; q++) {
      const own = draw(C);
      const { a, b } = predict(own);
      const expected = byHand(own, k, weighted);
      expect(b).toBeCloseTo(expected.b, 12);
      expected.a.forEach((value, d) => expect(a[d]).toBeCloseTo(value, 12));
    }
  });

  test("variances are the mean squared errors of items that are left out", () => {
    const { aVariance, bVariance } = predict(draw(C));
    const placed = Array.from({ length: N }, (_, i) => i).filter((i) => i !== 7);
    const errors = (of: (i: number) => number): number =>
      placed.reduce((sum, i) => sum + of(i) ** 2, 0) / placed.length;
    const leftOut = placed.map((i) => byHand(row(i), k, weighted, i));
    expect(bVariance).toBeCloseTo(
      errors((i) => bank.b[i]! - leftOut[placed.indexOf(i)]!.b),
      12,
    );
    for (let d = 0; d < D; d++)
      expect(aVariance[d]).toBeCloseTo(
        errors((i) => bank.a[i * D + d]! - leftOut[placed.indexOf(i)]!.a[d]!),
        12,
      );
  });

  test("a question of which nothing is known gets the mean and the variance of all", () => {
    const { a, b, aVariance, bVariance } = predict(new Float64Array(C));
    const mean = bank.b.reduce((sum, value) => sum + value, 0) / N;
    expect(b).toBeCloseTo(mean, 12);
    expect(bVariance).toBeCloseTo(bank.b.reduce((sum, value) => sum + (value - mean) ** 2, 0) / N, 12);
    expect([a.length, aVariance.length]).toEqual([D, D]);
  });
});

test("among items of a kind, an item gets the parameters of its kind", () => {
  const kinds = Float64Array.from({ length: 40 * 2 }, (_, at) => Number((Math.floor(at / 2) + at) % 2 === 0));
  const own = { dims: 1, a: new Float64Array(40).fill(1), b: Float64Array.from({ length: 40 }, (_, i) => (i % 2) * 4) };
  const predict = neighbourPredictor(own, kinds, 2, { k: 5, weighted: false });
  expect([predict(kinds.slice(0, 2)).b, predict(kinds.slice(2, 4)).b]).toEqual([0, 4]);
  expect(predict(kinds.slice(0, 2)).bVariance).toBe(0);
});

describe("nearest questions", () => {
  const pool = unitRows(
    sparseRows(
      [
        [
          [0, 1],
          [2, 1],
        ],
        [[1, 2]],
        [
          [0, 3],
          [1, 1],
        ],
        [[0, 3]],
        [],
      ],
      3,
    ),
  );

  test("are those with the largest cosines, the first of equals", () => {
    const { indices, similarities } = nearestQuestions(pool, pool, 2);
    expect(Array.from(indices)).toEqual([0, 3, 1, 2, 2, 3, 3, 2, 0, 1]);
    expect(similarities[0]).toBeCloseTo(1, 12);
    expect(similarities[1]).toBeCloseTo(Math.SQRT1_2, 12);
  });

  test("never are the question itself where it is of the pool", () => {
    const { indices } = nearestQuestions(pool, pool, 4, [0, 1, 2, 3, 4]);
    for (let q = 0; q < 5; q++) expect(Array.from(indices.subarray(q * 4, q * 4 + 4))).not.toContain(q);
  });

  test("come out the same by columns as by rows", () => {
    expect(transposed(transposed(pool))).toEqual(pool);
  });
});
