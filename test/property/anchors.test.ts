import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inclusionProbabilities, pivotalSample } from "../../sdk/core/numeric/sampling.ts";
import { ANCHOR_METHOD_NAMES, loadAnchorMethod } from "../../offline-trainer/src/methods/index.ts";
import { clusterPoints } from "../../offline-trainer/src/methods/kmeans/index.ts";
import "../support/arbitraries.ts";
import { anchorInputOf, selectAnchors } from "../support/select-anchors.ts";

const real = (min: number, max: number): fc.Arbitrary<number> => fc.double({ min, max, noNaN: true });
const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((total, value) => total + value, 0);

/** Item weights over six orders of magnitude, and a sample size. */
const arbWeights = fc
  .array(fc.oneof(fc.constantFrom(1, 2, 0.5), real(1e-4, 1e2)), { minLength: 2, maxLength: 60 })
  .chain((weights) =>
    fc.record({ weights: fc.constant(Float64Array.from(weights)), n: fc.integer({ min: 1, max: weights.length }) }),
  );

describe("inclusion probabilities", () => {
  test("sum to the size, are at most 1, and in proportion to the weight below it", () => {
    fc.assert(
      fc.property(arbWeights, ({ weights, n }) => {
        const result = inclusionProbabilities(weights, n);
        expect(Math.abs(sum(result) - n)).toBeLessThan(1e-9 * n);
        const open = Array.from(result.keys()).filter((i) => result[i]! < 1 - 1e-9);
        const rate = open.length > 0 ? result[open[0]!]! / weights[open[0]!]! : Infinity;
        result.forEach((value, i) => {
          expect(value).toBeGreaterThan(0);
          expect(value).toBeLessThanOrEqual(1);
          if (value < 1 - 1e-9) expect(Math.abs(value / weights[i]! / rate - 1)).toBeLessThan(1e-9);
          else expect(weights[i]! * rate).toBeGreaterThan(1 - 1e-6);
        });
      }),
    );
  });

  test("grow with the size", () => {
    fc.assert(
      fc.property(arbWeights, ({ weights, n }) => {
        fc.pre(n > 1);
        const [small, large] = [inclusionProbabilities(weights, n - 1), inclusionProbabilities(weights, n)];
        small.forEach((value, i) => expect(value).toBeLessThanOrEqual(large[i]! + 1e-12));
      }),
    );
  });
});

test("pivotal samples have their size and hold every first part's cumulated probability, rounded up or down", () => {
  fc.assert(
    fc.property(arbWeights, fc.integer(), ({ weights, n }, seed) => {
      const probabilities = inclusionProbabilities(weights, n);
      const drawn = pivotalSample(probabilities, createRandom(seed));
      expect(drawn.length).toBe(n);
      let [count, cumulated] = [0, 0];
      probabilities.forEach((value, k) => {
        cumulated += value;
        if (drawn[count] === k) count++;
        expect(count).toBeGreaterThanOrEqual(Math.floor(cumulated + 1e-7));
        expect(count).toBeLessThanOrEqual(Math.ceil(cumulated - 1e-7));
      });
    }),
  );
});

describe("any selection, of any weights, accuracies and sizes", () => {
  test.each(ANCHOR_METHOD_NAMES)(
    "%s: no duplicates, right sizes, all the mass, nested where it says so",
    async (name) => {
      const method = await loadAnchorMethod(name);
      await fc.assert(
        fc.asyncProperty(
          arbWeights,
          fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 4 }),
          fc.integer(),
          async ({ weights }, sizes, seed) => {
            const count = weights.length;
            const random = createRandom(`items ${seed}`);
            const total = sum(weights);
            const coarse = (): number => random.below(4) / 3; // many items alike
            const models = random.below(5) === 0 ? 110 : 1 + random.below(5); // enough to choose on purpose by, or not
            const { sets, nested } = await selectAnchors(
              method,
              anchorInputOf({
                weights: weights.map((value) => value / total),
                accuracy: Float64Array.from({ length: count }, () => (random.below(10) === 0 ? NaN : coarse())),
                bank: itemBank(
                  Float64Array.from({ length: count }, coarse),
                  Float64Array.from({ length: count }, coarse),
                ),
                abilities: Float64Array.from({ length: models }, () => random.normal()),
                ...{ generations: 2 },
                column: (item) => Float64Array.from({ length: models }, (_, m) => ((item + m) % 3) / 2),
                sizes,
                random: createRandom(seed),
              }),
            );
            expect(new Set(sets.keys())).toEqual(new Set(sizes));
            for (const [size, { items, mass, inclusion }] of sets) {
              expect(new Set(items).size).toBe(items.length);
              if (inclusion) expect(items.length).toBe(Math.min(size, count));
              else {
                expect(items.length).toBeLessThanOrEqual(size);
                expect(sum(mass)).toBeCloseTo(1, 9);
              }
              items.forEach((item, j) => {
                expect(item).toBeLessThan(count);
                if (inclusion) expect(mass[j]! * inclusion[j]!).toBeCloseTo(weights[item]! / total, 12);
              });
            }
            if (!nested) return;
            const ordered = [...sets].sort(([x], [y]) => x - y);
            for (let k = 1; k < ordered.length; k++) {
              const larger = new Set(ordered[k]![1].items);
              expect(Array.from(ordered[k - 1]![1].items).every((item) => larger.has(item))).toBe(true);
            }
          },
        ),
        { numRuns: 100 },
      );
    },
  );
});

test("clusters: every label is a cluster, every point at a nearest centroid, never more inertia than one cluster", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.tuple(fc.integer({ min: -3, max: 3 }), real(0.01, 10)), { minLength: 3, maxLength: 30 }),
      fc.integer({ min: 1, max: 30 }),
      fc.integer(),
      (dims, rows, wanted, seed) => {
        const count = Math.floor(rows.length / dims);
        fc.pre(count >= 1);
        const points = { count, dims, values: Float64Array.from({ length: count * dims }, (_, k) => rows[k]![0]) };
        const weights = Float64Array.from({ length: count }, (_, p) => rows[p]![1]);
        const k = Math.min(wanted, count);
        const { labels, centroids } = clusterPoints(points, weights, k, createRandom(seed));
        const squareTo = (p: number, centroid: Float64Array): number =>
          sum(centroid.map((value, d) => (points.values[p * dims + d]! - value) ** 2));
        const distance = (p: number, c: number): number => squareTo(p, centroids.subarray(c * dims, (c + 1) * dims));
        let own = 0;
        for (let p = 0; p < count; p++) {
          expect(labels[p]!).toBeGreaterThanOrEqual(0);
          expect(labels[p]!).toBeLessThan(k);
          for (let c = 0; c < k; c++) expect(distance(p, labels[p]!)).toBeLessThanOrEqual(distance(p, c));
          own += weights[p]! * distance(p, labels[p]!);
        }
        const one = clusterPoints(points, weights, 1, createRandom(seed)).centroids;
        const apart = sum(Float64Array.from(weights, (weight, p) => weight * squareTo(p, one)));
        expect(own).toBeLessThanOrEqual(apart * (1 + 1e-9) + 1e-9);
      },
    ),
  );
});
