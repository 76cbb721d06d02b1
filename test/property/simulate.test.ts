import fc from "fast-check";
import { expect, test } from "vitest";
import { scenarioSlices } from "../../offline-trainer/src/matrix/scenarios.ts";
import { apportion } from "../../offline-trainer/src/numeric/statistics.ts";
import { SIMULATE_OPTIONS, type SimulateOptions } from "../../features/simulate/fit/settings.ts";
import { simulateLeaderboard } from "../../features/simulate/fit/simulate-leaderboard.ts";

/** Options that say how much there is; kept small here. */
const SIZES = {
  models: 12,
  items: 120,
  scenarios: 5,
  dims: 4,
  subscenarios: 6,
  familySize: 12,
  clusterSize: 9,
  samples: 4,
};
/** Options that must sum to at most 1 are drawn below a quarter. */
const QUARTERS = [
  "saturatedShare",
  "hardShare",
  "flatShare",
  "redundantShare",
  "mislabelledShare",
  "nonMonotoneShare",
  "memorisedShare",
];

/** Any options within their ranges, extremes included, of a small leaderboard. */
const arbOptions = fc.record(
  Object.fromEntries(
    Object.entries<{ min: number; max: number; integer?: boolean }>(SIMULATE_OPTIONS).map(
      ([name, { min, max, integer }]) => {
        const most = QUARTERS.includes(name) ? 0.25 : ((SIZES as Record<string, number>)[name] ?? max);
        const least = name === "items" ? 60 : min;
        return [
          name,
          integer
            ? fc.integer({ min: least, max: most })
            : fc.oneof(fc.constantFrom(least, most), fc.double({ min: least, max: most, noNaN: true })),
        ];
      },
    ),
  ),
) as unknown as fc.Arbitrary<Partial<SimulateOptions>>;

test("any options in their ranges give scores in [0,1], a truth in [0,1], and answers from every model", () => {
  fc.assert(
    fc.property(arbOptions, fc.boolean(), (options, text) => {
      const { matrix, truth } = simulateLeaderboard({ ...options, text });
      const [models, items] = [options.models!, options.items!];
      expect(matrix.subjects).toHaveLength(models);
      expect(matrix.items).toHaveLength(items);
      expect(scenarioSlices(matrix.items, "subscenarios")).toHaveLength(options.scenarios!);
      for (const scores of [
        matrix.scores,
        ...Object.values(truth.expected as Record<string, Float64Array>),
        ...Object.values(truth.realised as Record<string, Float64Array>),
      ])
        for (const score of scores) if (!(score >= 0 && score <= 1 + 1e-12)) throw new Error(`a score is ${score}`);
      for (const values of Object.values<ArrayLike<number>>({ ...truth.abilities, ...truth.items }))
        expect(Array.from(values).every(Number.isFinite)).toBe(true);
      for (let i = 0; i < items; i++) {
        expect(truth.items.lower[i]).toBeLessThan(truth.items.upper[i]!);
        expect(truth.items.upper[i]).toBeLessThanOrEqual(1);
      }
      for (let m = 0; m < models && matrix.observed; m++)
        expect(matrix.observed.subarray(m * items, (m + 1) * items).includes(1)).toBe(true);
    }),
    { seed: 20260101 },
  );
});

test("apportioned parts sum to the total, have the least, and lie within one of their share", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 20 }),
      fc.nat(5),
      fc.nat(1000),
      (weights, least, free) => {
        const total = weights.length * least + free;
        const parts = apportion(total, weights, least);
        const mass = weights.reduce((sum, weight) => sum + weight, 0);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total);
        parts.forEach((part, k) => {
          expect(Math.abs(part - least - (free * weights[k]!) / mass)).toBeLessThan(1 + 1e-6);
        });
      },
    ),
  );
});
