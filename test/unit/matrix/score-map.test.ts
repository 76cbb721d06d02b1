import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { applyMonotoneMap } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { responseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { fitScoreMap } from "../../../offline-trainer/src/matrix/score-map.ts";
import { largestDifference, readFixture } from "../../support/fixture.ts";

/** scikit-learn's isotonic regression of the same scores in the same bins. */
const reference = readFixture<{
  tolerance: { absolute: number };
  models: number;
  items: number;
  theta: number[];
  a: number[];
  b: number[];
  scores: (number | null)[];
  expected: { x: number[]; y: number[] };
}>("sklearn/isotonic.json");

const itemsOf = (count: number): { item_id: string; scenario: string }[] =>
  Array.from({ length: count }, (_, i) => ({ item_id: `i${i}`, scenario: "s" }));
const names = (count: number): string[] => Array.from({ length: count }, (_, m) => `m${m}`);

test("is scikit-learn's isotonic regression, missing scores left out", () => {
  const { models, items, theta, a, b, scores, expected, tolerance } = reference;
  const map = fitScoreMap(
    // Twentieths aren't exact in the matrix's single precision.
    {
      ...responseMatrix(
        names(models),
        itemsOf(items),
        Float64Array.from(scores, (score) => score ?? NaN),
      ),
      scores: Float64Array.from(scores, (score) => score ?? 0) as never,
    },
    names(models).map((_, m) => m),
    Float64Array.from(theta),
    itemBank(Float64Array.from(a), Float64Array.from(b)),
  );
  expect(largestDifference(map.x, expected.x)).toBeLessThan(tolerance.absolute);
  expect(largestDifference(map.y, expected.y)).toBeLessThan(tolerance.absolute);
});

describe("laws", () => {
  const random = createRandom("score map");
  const [models, items] = [12, 30];
  const theta = Float64Array.from({ length: models }, () => random.normal());
  const bank = itemBank(
    Float64Array.from({ length: items }, () => 0.5 + random.next()),
    Float64Array.from({ length: items }, () => random.normal()),
  );
  const rows = names(models).map((_, m) => m);
  const scoresFrom = (score: (p: number) => number): Float64Array =>
    Float64Array.from({ length: models * items }, (_, k) => {
      const m = Math.floor(k / items);
      return score(itemResponses(theta.subarray(m, m + 1), bank)[k % items]!);
    });
  const fitted = (score: (p: number) => number, own: readonly number[] = rows): ReturnType<typeof fitScoreMap> =>
    fitScoreMap(
      responseMatrix(names(models), itemsOf(items), scoresFrom(score)),
      own,
      Float64Array.from(own, (m) => theta[m]!),
      bank,
    );

  test("never falls, and its knots rise", () => {
    const { x, y } = fitted((p) => (random.next() < p ? random.next() : 0));
    expect(x.length).toBeGreaterThan(3);
    for (let k = 1; k < x.length; k++) {
      expect(x[k]!).toBeGreaterThan(x[k - 1]!);
      expect(y[k]!).toBeGreaterThan(y[k - 1]!);
    }
    expect(y[0]!).toBeGreaterThanOrEqual(0);
    expect(y.at(-1)!).toBeLessThanOrEqual(1);
  });

  test("gives back a monotone curve within a bin's width", () => {
    const map = fitted((p) => p * p);
    for (let m = 0; m < models; m++)
      for (const p of itemResponses(theta.subarray(m, m + 1), bank))
        expect(Math.abs(applyMonotoneMap(map, p) - p * p)).toBeLessThan(2 / 200 + 1e-6);
  });

  test("is one knot at the means where scores run against the probabilities", () => {
    const { x, y } = fitted((p) => 1 - p);
    expect(x.length).toBe(1);
    expect(x[0]! + y[0]!).toBeCloseTo(1, 6);
  });

  test("keeps the mean score over what it was fitted on", () => {
    const scores = scoresFrom((p) => (random.next() < p ? 1 : 0.3 * random.next()));
    const matrix = responseMatrix(names(models), itemsOf(items), scores);
    const { x, y } = fitScoreMap(matrix, rows, theta, bank);
    // Each knot's value is its block's mean; blocks lie between the middles that PAV kept apart.
    let [mapped, own, count] = [0, 0, 0];
    for (let m = 0; m < models; m++)
      itemResponses(theta.subarray(m, m + 1), bank).forEach((p, i) => {
        mapped += applyMonotoneMap({ x, y }, p);
        own += matrix.scores[m * items + i]!;
        count++;
      });
    expect(Math.abs(mapped - own) / count).toBeLessThan(0.02);
  });

  test("looks at the rows that it is given only", () => {
    const half = rows.slice(0, 6);
    const scores = scoresFrom((p) => p ** 3);
    const other = scores.map((score, k) => (k >= 6 * items ? 1 - score : score));
    const map = (values: Float64Array): ReturnType<typeof fitScoreMap> =>
      fitScoreMap(responseMatrix(names(models), itemsOf(items), values), half, theta.subarray(0, 6), bank);
    expect(map(other)).toEqual(map(scores));
  });

  test("is a half where nothing was observed", () => {
    const nothing = responseMatrix(["m"], itemsOf(items), new Float64Array(items).fill(NaN));
    expect(fitScoreMap(nothing, [0], Float64Array.of(0), bank)).toEqual({
      x: Float64Array.of(0.5),
      y: Float64Array.of(0.5),
    });
  });
});
