import { itemBank, type ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { responseDerivatives } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { expectation, sumOverItems, sumOverModels } from "../../../../../features/marginal/fit/expectation.ts";
import { fitGrid, gridFits } from "../../../../../features/marginal/fit/fit-grid.ts";
import { evenGrid } from "../../../../../features/marginal/fit/curve-tables.ts";
import {
  type Curves,
  MARGINAL_MODELS,
  prepareProblem,
  type Problem,
} from "../../../../../features/marginal/fit/problem.ts";
import { logSumExp } from "../../../../support/grid-posterior.ts";
import { drawnResponses } from "./drawn-responses.ts";

interface Posterior {
  readonly logIntegral: number;
  readonly mean: number;
}

/** ∫ Π_i P(y | θ) dN(θ) of one model by 4 000 points over ±10 or so, from the response function of the SDK. */
function bruteForce({ items, signs }: Problem, bank: ItemBank, m: number, middle = 0): Posterior {
  const points = Array.from({ length: 4_001 }, (_, q) => middle + (q - 2000) / 200);
  const derivatives = { logLikelihood: 0, slope: 0, information: 0 };
  const logs = points.map((theta) => {
    let sum = -0.5 * theta ** 2 - 0.5 * Math.log(2 * Math.PI) - Math.log(200);
    for (let i = 0; i < items; i++) {
      const sign = signs[m * items + i]!;
      if (sign === 0) continue;
      const z = bank.a[i]! * theta - bank.b[i]!;
      sum += responseDerivatives(z, sign > 0 ? 1 : 0, bank, i, derivatives).logLikelihood;
    }
    return sum;
  });
  const logIntegral = logSumExp(logs);
  let first = 0;
  points.forEach((theta, q) => {
    const p = Math.exp(logs[q]! - logIntegral);
    first += p * theta;
  });
  return { logIntegral, mean: first };
}

function curvesOf(bank: ItemBank): Curves {
  const range = (i: number): number => bank.upper![i]! - bank.lower![i]!;
  const g = Float64Array.from({ length: bank.count }, (_, i) => bank.lower![i]! / range(i));
  const k = Float64Array.from({ length: bank.count }, (_, i) => (1 - bank.upper![i]!) / range(i));
  return { a: Float64Array.from(bank.a), b: Float64Array.from(bank.b), g, k };
}

const ones = (count: number): Float64Array => new Float64Array(count).fill(1);

describe.each(MARGINAL_MODELS)("the marginal likelihood and the abilities of the %s are the integrals'", (model) => {
  test.each([
    { name: "few items", subjects: 6, items: 8, missing: 0 },
    { name: "missing answers", subjects: 6, items: 20, missing: 0.4 },
    { name: "posteriors far narrower than the population", subjects: 3, items: 300, missing: 0.1 },
  ])("$name", ({ subjects, items, missing }) => {
    const { responses, bank } = drawnResponses({ model, subjects, items, missing, seed: 3 });
    const problem = prepareProblem(responses, model);
    const curves = curvesOf(bank);
    const { grid, bounds } = fitGrid(problem, curves);
    const found = expectation(problem, grid, bounds);
    const value = found.run(curves);
    let expected = 0;
    for (let m = 0; m < subjects; m++) {
      const { logIntegral, mean } = bruteForce(problem, bank, m);
      expected += logIntegral;
      expect(found.mean[m]).toBeCloseTo(mean, 6);
    }
    expect(Math.abs(value - expected)).toBeLessThan(1e-7);
    // Windows that have closed in are no other integral.
    expect(Math.abs(found.run(curves) - value)).toBeLessThan(1e-10);
  });
});

test("the counts are those of the models", () => {
  const { responses, bank } = drawnResponses({ model: "4pl", subjects: 9, items: 7, missing: 0.3 });
  const { subjects, items, signs } = responses;
  const problem = prepareProblem(responses, "4pl");
  const curves = curvesOf(bank);
  const { grid } = fitGrid(problem, curves);
  const found = expectation(problem, grid);
  found.run(curves);
  const sum = (values: Float64Array, row = 0): number =>
    values
      .subarray(row * grid.points.length, (row + 1) * grid.points.length)
      .reduce((total, value) => total + value, 0);
  const over = (counts: (m: number) => boolean): number =>
    Array.from({ length: subjects }, (_, m) => m).filter(counts).length;
  expect(sum(found.mass)).toBeCloseTo(
    over(() => true),
    10,
  );
  for (let i = 0; i < items; i++) {
    expect(sum(found.rightMass, problem.curvedRow[i])).toBeCloseTo(
      over((m) => signs[m * items + i] === 1),
      10,
    );
    const row = problem.missingRow[i]!;
    expect(row < 0 ? 0 : sum(found.missingMass, row)).toBeCloseTo(
      over((m) => signs[m * items + i] === 0),
      10,
    );
  }
});

test("a model far from all others is found, and a grid that cuts it off is refused", () => {
  const items = 300;
  const bank = itemBank(
    ones(items),
    Float64Array.from({ length: items }, (_, i) => -20 + (i * 40) / items),
    {
      lower: new Float64Array(items),
      upper: ones(items),
    },
  );
  // The third is right on all but the hardest: some 18 standard deviations out.
  const signs = Int8Array.from({ length: 3 * items }, (_, k) =>
    k % items < [140, 150, 285][Math.floor(k / items)]! ? 1 : -1,
  );
  const problem = prepareProblem({ subjects: 3, items, signs }, "2pl");
  const curves = curvesOf(bank);
  const { grid, bounds } = fitGrid(problem, curves);
  const found = expectation(problem, grid, bounds);
  found.run(curves);
  expect(found.mean[2]).toBeGreaterThan(10);
  expect(found.mean[2]).toBeCloseTo(bruteForce(problem, bank, 2, found.mean[2]).mean, 6);
  expect(gridFits(problem, curves, found)).toBe(true);

  const narrow = expectation(problem, evenGrid(-8, 8, 0.05));
  narrow.run(curves);
  expect(narrow.cut).toBe(true);
  expect(gridFits(problem, curves, narrow)).toBe(false);
  const coarse = expectation(problem, evenGrid(-30, 30, 1));
  coarse.run(curves);
  expect(coarse.cut).toBe(false);
  expect(gridFits(problem, curves, coarse)).toBe(false);
});

test.each([1, 3, 4, 5, 8, 11])("both sums, %d models", (subjects) => {
  const random = createRandom(subjects);
  const items = 9;
  const signs = Int8Array.from({ length: subjects * items }, () => random.below(3) - 1);
  const [v, w] = [items, subjects].map((count) => Float64Array.from({ length: count }, () => random.normal())) as [
    Float64Array,
    Float64Array,
  ];
  const [overItems, overModels] = [new Float64Array(subjects).fill(5), new Float64Array(items).fill(5)];
  sumOverItems({ subjects, items, signs }, v, overItems);
  sumOverModels({ subjects, items, signs }, w, overModels);
  for (let m = 0; m < subjects; m++) {
    let sum = 0;
    for (let i = 0; i < items; i++) sum += signs[m * items + i]! * v[i]!;
    expect(overItems[m]).toBeCloseTo(sum, 13);
  }
  for (let i = 0; i < items; i++) {
    let sum = 0;
    for (let m = 0; m < subjects; m++) sum += signs[m * items + i]! * w[m]!;
    expect(overModels[i]).toBeCloseTo(sum, 13);
  }
});
