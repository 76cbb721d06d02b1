import { describe, expect, test } from "vitest";
import { calibrateMarginal } from "../../../../../features/marginal/fit/calibrate-marginal.ts";
import type { MarginalModel } from "../../../../../features/marginal/fit/problem.ts";
import { largestDifference, readFixture } from "../../../../support/fixture.ts";

interface Case {
  readonly name: string;
  readonly model: MarginalModel;
  readonly subjects: number;
  readonly items: number;
  readonly signs: readonly number[];
  readonly logLikelihood: number;
  readonly a: number[];
  readonly b: number[];
  readonly lower: number[];
  readonly upper: number[];
  readonly girth: { readonly items: number; readonly discrimination: number[]; readonly difficulty: number[] } | null;
}

const { tolerance, cases } = readFixture<{
  tolerance: { logLikelihood: number; parameters: number; girth: number };
  cases: Case[];
}>("marginal/optima.json");

describe("the maximum is SciPy's", () => {
  test.each(cases)("$name", async (expected) => {
    const { model, subjects, items } = expected;
    const fit = await calibrateMarginal(
      { subjects, items, signs: Int8Array.from(expected.signs) },
      {
        model,
        tolerance: 1e-12,
      },
    );
    expect(fit.converged).toBe(true);
    expect(Math.abs(fit.logLikelihood - expected.logLikelihood)).toBeLessThan(tolerance.logLikelihood);
    for (const name of ["a", "b", "lower", "upper"] as const)
      expect(largestDifference(fit[name], expected[name])).toBeLessThan(tolerance.parameters);
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
