import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  extrapolationSplit,
  folds,
  interpolationSplit,
  newestSplit,
  type Split,
  type SplitInput,
} from "../../offline-trainer/src/matrix/splits.ts";
import "../support/arbitraries.ts";

interface Models extends SplitInput {
  readonly scores: readonly number[];
  readonly names: readonly string[];
  readonly dates: readonly string[];
  readonly seed: number;
}

/** Models of which some replicate each other, tie, can't be targets or have no score. */
const arbModels: fc.Arbitrary<Models> = fc
  .record({
    rows: fc.array(
      fc.record({
        group: fc.nat(15),
        eligible: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
        score: fc.constantFrom(0.1, 0.2, 0.3, 0.5, 0.9, NaN),
        year: fc.nat(5),
      }),
      { minLength: 1, maxLength: 40 },
    ),
    seed: fc.integer(),
  })
  .map(({ rows, seed }) => ({
    groups: rows.map(({ group }) => group),
    eligible: rows.map(({ eligible }) => eligible),
    scores: rows.map(({ score }) => score),
    names: rows.map((_, m) => `model ${m}`),
    dates: rows.map(({ year }) => String(2020 + year)),
    seed,
  }));

const SPLITS: [string, (models: Models) => Split[]][] = [
  ["interpolation", (models) => [interpolationSplit(models, createRandom(models.seed))]],
  ["folds", (models) => folds(models, 5, createRandom(models.seed))],
  ["extrapolation", (models) => [extrapolationSplit(models)]],
  ["newest", (models) => [newestSplit(models, models.dates)]],
  ["newest by the file's order", (models) => [newestSplit(models, null)]],
];

describe.each(SPLITS)("%s", (_, split) => {
  test("never has a model, nor its replicate, on both sides; targets are eligible; rows ascend", () => {
    fc.assert(
      fc.property(arbModels, (models) => {
        for (const { sources, targets } of split(models)) {
          const held = new Set(targets.map((m) => models.groups[m]));
          expect(sources.filter((m) => held.has(models.groups[m]))).toEqual([]);
          expect(targets.every((m) => models.eligible[m])).toBe(true);
          for (const rows of [sources, targets]) {
            expect(rows).toEqual([...new Set(rows)].sort((x, y) => x - y));
            expect(rows.every((m) => m >= 0 && m < models.groups.length)).toBe(true);
          }
        }
      }),
    );
  });
});

test("extrapolation: no source is stronger than a target", () => {
  fc.assert(
    fc.property(arbModels, (models) => {
      const { sources, targets } = extrapolationSplit(models);
      const best = Math.max(...sources.map((m) => models.scores[m]!));
      const worst = Math.min(...targets.map((m) => models.scores[m]!));
      if (sources.length > 0 && targets.length > 0) expect(best).toBeLessThanOrEqual(worst);
    }),
  );
});

test("folds: no model is held out twice, and all of one group are held out together", () => {
  fc.assert(
    fc.property(arbModels, (models) => {
      const parts = folds(models, 5, createRandom(models.seed));
      const targets = parts.flatMap((part) => part.targets);
      expect(new Set(targets).size).toBe(targets.length);
      for (const part of parts) {
        const held = new Set(part.targets.map((m) => models.groups[m]));
        for (let m = 0; m < models.groups.length; m++)
          if (held.has(models.groups[m]) && models.eligible[m]) expect(part.targets).toContain(m);
      }
    }),
  );
});
