import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { measureOverall, overallEstimates, overallInflation } from "../../../offline-trainer/src/fit/overall.ts";
import { baseAt, blendAt, rowsOf } from "./held-out-estimates.ts";

const ERROR = 0.04;

/** Scenarios whose scores err by `ERROR`, as their variances say; `alike` is the correlation of their errors. */
function parts(models: number, scenarios: number, alike: number) {
  const random = createRandom(`overall ${models} ${alike}`);
  const shared = rowsOf(models).map(() => random.normal());
  return Array.from({ length: scenarios }, () => ({
    blend: () => blendAt(0.5),
    estimates: rowsOf(models).map((model): HeldOutEstimate => {
      const truth = 0.3 + 0.4 * random.next();
      const error = ERROR * (Math.sqrt(alike) * shared[model]! + Math.sqrt(1 - alike) * random.normal());
      const score = truth + error;
      return {
        model,
        draw: 0,
        fold: model % 5,
        truth,
        part: null,
        base: baseAt(score),
        seen: { worst: 0, best: 1, overall: null },
        bounds: { low: 0, high: 1 },
        shift: { step: 0, information: 0, spread: 0 },
        unlike: 0,
        sampling: { variance: ERROR ** 2, degrees: 1e6, answers: 1000, right: 500, unit: 0.001, bias: 0 },
        answers: null,
        pattern: null,
        failed: false,
      };
    }),
  }));
}

describe("overallInflation", () => {
  test("is 1, about, where scenarios err independently, and what the correlation makes of it where they don't", () => {
    const of = (alike: number): number => overallInflation(overallEstimates(parts(2000, 4, alike), "p-irt-dr"));
    expect(of(0)).toBeLessThan(1.06);
    // The variance of a mean of four is (1 + 3ρ)/4.
    expect(of(0.5)).toBeGreaterThan(0.94 * Math.sqrt(2.5));
    expect(of(0.5)).toBeLessThan(1.06 * Math.sqrt(2.5));
  });

  test("is never below 1, and 1 of fewer than 39 models", () => {
    expect(overallInflation(overallEstimates(parts(38, 4, 1), "p-irt-dr"))).toBe(1);
    const sure = parts(100, 2, 0).map((part) => ({
      ...part,
      estimates: part.estimates.map((own) => ({ ...own, sampling: { ...own.sampling!, variance: 1 } })),
    }));
    expect(overallInflation(overallEstimates(sure, "p-irt-dr"))).toBe(1);
  });
});

test("overall estimates are those of the models that every scenario has held out", () => {
  const [first, second] = parts(40, 2, 0);
  const some = { ...second!, estimates: second!.estimates.slice(5) };
  const overall = overallEstimates([first!, some], "p-irt-dr");
  expect(overall.map(({ estimate }) => estimate.model)).toEqual(rowsOf(35, 5));
  const { truth, sampled } = overall[0]!;
  expect(truth).toBeCloseTo((first!.estimates[5]!.truth + some.estimates[0]!.truth) / 2, 14);
  expect(sampled!.sampling.variance).toBeCloseTo(ERROR ** 2 / 2, 14);
});

test("stronger models' overall errors are measured as those of models like the others, by the inflation of these", () => {
  const [like, strong] = [parts(60, 2, 0.5), parts(24, 2, 1)];
  const blends = like.map(({ blend, estimates }, s) => {
    // Models 60 to 83 were held out of another fold, and are all estimated .1 too high.
    const extrapolation = strong[s]!.estimates.map((own): HeldOutEstimate => ({
      ...own,
      model: 60 + own.model,
      fold: 5,
      base: baseAt(own.truth + 0.1),
    }));
    const separate = { validation: { interpolation: estimates, extrapolation }, served: blend(), foldOut: blend };
    return new Map([[`scenario ${s}`, new Map([["30", { separate, pooled: null }]])]]);
  });
  const random = { interpolation: [0.06, 0.08], extrapolation: [0.03, 0.04] };
  const { inflation, measured } = measureOverall(blends, "30", "p-irt-dr", random, null);
  expect(inflation).toBeCloseTo(overallInflation(overallEstimates(like, "p-irt-dr")), 5);
  expect(measured.interpolation).toMatchObject({ models: 60, randomMae: 0.05 });
  const stronger = measured.extrapolation!;
  expect(stronger).toMatchObject({ models: 24, randomMae: 0.025, coverage95: 0 });
  expect(stronger.estimators["p-irt-dr"].bias).toBeCloseTo(0.1, 6);
  expect(stronger.halfWidth95! / inflation).toBeCloseTo((1.96 * ERROR) / Math.SQRT2, 2);
});
