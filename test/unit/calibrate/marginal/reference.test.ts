import { itemBank } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { calibrateMarginal } from "../../../../offline-trainer/src/calibrate/marginal/calibrate-marginal.ts";
import type { MarginalModel } from "../../../../offline-trainer/src/calibrate/marginal/types.ts";
import { largestDifference, readFixture } from "../../../support/fixture.ts";

interface Case {
  readonly name: string;
  readonly model: MarginalModel;
  readonly subjects: number;
  readonly items: number;
  readonly signs: readonly number[];
  readonly fixed: { readonly items: number[]; readonly a: number[]; readonly b: number[] } | null;
  readonly logLikelihood: number;
  readonly a: number[];
  readonly b: number[];
  readonly lower: number[];
  readonly upper: number[];
  readonly population: { readonly mean: number; readonly sd: number };
  readonly standardErrors: { readonly a: number[]; readonly b: number[] };
  readonly girth: { readonly items: number; readonly discrimination: number[]; readonly difficulty: number[] } | null;
}

const { tolerance, cases } = readFixture<{
  tolerance: { logLikelihood: number; parameters: number; standardErrors: number; girth: number };
  cases: Case[];
}>("marginal/optima.json");

describe("the maximum is SciPy's", () => {
  test.each(cases)("$name", async (expected) => {
    const { model, subjects, items, fixed } = expected;
    const fit = await calibrateMarginal(
      { subjects, items, signs: Int8Array.from(expected.signs) },
      {
        model,
        tolerance: 1e-12,
        ...(fixed && {
          fixed: { items: fixed.items, bank: itemBank(Float64Array.from(fixed.a), Float64Array.from(fixed.b)) },
        }),
      },
    );
    expect(fit.converged).toBe(true);
    expect(Math.abs(fit.logLikelihood - expected.logLikelihood)).toBeLessThan(tolerance.logLikelihood);
    for (const name of ["a", "b", "lower", "upper"] as const)
      expect(largestDifference(fit[name], expected[name])).toBeLessThan(tolerance.parameters);
    expect(Math.abs(fit.population.mean - expected.population.mean)).toBeLessThan(tolerance.parameters);
    expect(Math.abs(fit.population.sd - expected.population.sd)).toBeLessThan(tolerance.parameters);
    const first = fixed?.items.length ?? 0;
    for (const name of ["a", "b"] as const)
      expect(largestDifference(fit.standardErrors![name].subarray(first), expected.standardErrors[name])).toBeLessThan(
        tolerance.standardErrors,
      );
  });
});

test.each(cases.filter(({ girth }) => girth !== null))("girth comes close to the same: $name", async (expected) => {
  const { items, discrimination, difficulty } = expected.girth!;
  const signs = Int8Array.from(
    { length: expected.subjects * items },
    (_, k) => expected.signs[Math.floor(k / items) * expected.items + (k % items)]!,
  );
  const fit = await calibrateMarginal({ subjects: expected.subjects, items, signs }, { model: expected.model });
  expect(largestDifference(fit.a, discrimination)).toBeLessThan(tolerance.girth);
  expect(
    largestDifference(
      fit.b.map((b, i) => b / fit.a[i]!),
      difficulty,
    ),
  ).toBeLessThan(tolerance.girth);
});
