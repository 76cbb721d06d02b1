import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import {
  itemInformation,
  itemLogit,
  itemResponse,
  itemResponses,
  responseDerivatives,
  testInformation,
} from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { itemLogits, logisticAnswers, logitInformation, observedCurvature } from "../../../sdk/core/irt/response.ts";
import { bankOf, type FixtureItems, readFixture, relativeError } from "../../support/fixture.ts";

const { cases, tolerance } = readFixture<{
  tolerance: { relative: number; logitAbsolute: number };
  cases: { name: string; items: FixtureItems; theta: number[]; expected: { p: number[]; logit: number[] } }[];
}>("numpy/response.json");

describe.each(cases)("$name", ({ items, theta, expected }) => {
  const bank = bankOf(items);
  const at = Float64Array.from(theta);

  test("logits", () => {
    for (let i = 0; i < bank.count; i++)
      expect(Math.abs(itemLogit(at, bank, i) - expected.logit[i]!)).toBeLessThanOrEqual(tolerance.logitAbsolute);
  });

  test("probabilities, tails included", () => {
    for (let i = 0; i < bank.count; i++)
      expect(relativeError(itemResponse(at, bank, i), expected.p[i]!)).toBeLessThanOrEqual(tolerance.relative);
  });

  test("all items at once are the same numbers", () => {
    itemResponses(at, bank).forEach((p, i) =>
      expect(relativeError(p, itemResponse(at, bank, i))).toBeLessThanOrEqual(1e-15),
    );
    const out = new Float64Array(bank.count);
    expect(itemResponses(at, bank, out)).toBe(out);
  });
});

test("asymptotes stay what they are at the ends of the scale", () => {
  const bank = itemBank(Float64Array.of(1, 1), Float64Array.of(0, 0), {
    lower: Float64Array.of(0.2, 0.25),
    upper: Float64Array.of(0.9, 1),
  });
  expect(itemResponse(Float64Array.of(-1e4), bank, 0)).toBe(0.2);
  expect(itemResponse(Float64Array.of(1e4), bank, 0)).toBeCloseTo(0.9, 15);
  expect(itemResponse(Float64Array.of(1e4), bank, 1)).toBe(1);
});

test("an input that is no number gives none", () => {
  const bank = itemBank(Float64Array.of(1, NaN, 1), Float64Array.of(0, 0, NaN));
  expect(itemResponse(Float64Array.of(NaN), bank, 0)).toBeNaN();
  expect(itemResponse(Float64Array.of(0), bank, 1)).toBeNaN();
  expect(itemResponse(Float64Array.of(0), bank, 2)).toBeNaN();
});

test.each([1, 3, 4, 5, 8, 11])("all logits of %i items at once are the same numbers", (count) => {
  const dims = 3;
  const random = createRandom(`${count} items`);
  const normals = (length: number): Float32Array => Float32Array.from({ length }, () => random.normal());
  const bank = itemBank(normals(count * dims), normals(count));
  const theta = Float64Array.from({ length: dims }, () => random.normal());
  expect(itemLogits(theta, bank)).toEqual(Float64Array.from({ length: count }, (_, i) => itemLogit(theta, bank, i)));
});

const { cases: likelihoodCases, tolerance: likelihoodTolerance } = readFixture<{
  tolerance: { relative: number; absolute: number };
  cases: {
    name: string;
    items: FixtureItems;
    theta: number[];
    scores: number[];
    expected: { logLikelihood: number[]; slope: number[]; information: number[] };
  }[];
}>("numpy/response.json");
const out = { logLikelihood: 0, slope: 0, information: 0 };

test.each(likelihoodCases)("$name", ({ items, theta, scores, expected }) => {
  const bank = bankOf(items);
  const at = Float64Array.from(theta);
  for (let i = 0; i < bank.count; i++) {
    expect(responseDerivatives(itemLogit(at, bank, i), scores[i]!, bank, i, out)).toBe(out);
    expect(Math.abs(out.logLikelihood - expected.logLikelihood[i]!)).toBeLessThanOrEqual(
      likelihoodTolerance.absolute + likelihoodTolerance.relative * Math.abs(expected.logLikelihood[i]!),
    );
    expect(relativeError(out.information, expected.information[i]!)).toBeLessThanOrEqual(likelihoodTolerance.relative);
    expect(Math.abs(out.slope - expected.slope[i]!)).toBeLessThanOrEqual(
      likelihoodTolerance.absolute + likelihoodTolerance.relative * Math.abs(expected.slope[i]!),
    );
  }
});

describe("certain answers at the ends of the scale", () => {
  const plain = itemBank(Float64Array.of(1), Float64Array.of(0));
  const guessing = itemBank(Float64Array.of(1), Float64Array.of(0), { lower: Float64Array.of(0.25) });
  const capped = itemBank(Float64Array.of(1), Float64Array.of(0), { upper: Float64Array.of(0.9) });

  test.each([
    ["2PL", plain, 800, 1, 0],
    ["2PL", plain, -800, 1, -800],
    ["2PL", plain, 800, 0, -800],
    ["3PL", guessing, -800, 1, Math.log(0.25)],
    ["3PL", guessing, 800, 0, Math.log(0.75) - 800],
    ["upper asymptote", capped, 800, 1, Math.log(0.9)],
    ["upper asymptote", capped, -800, 1, Math.log(0.9) - 800],
    ["upper asymptote", capped, 800, 0, Math.log1p(-0.9)],
  ])("%s: log-likelihood, slope and information stay finite", (_, bank, z, y, logLikelihood) => {
    responseDerivatives(z, y, bank, 0, out);
    expect(Math.abs(out.logLikelihood - logLikelihood)).toBeLessThan(1e-12);
    expect(Number.isFinite(out.slope)).toBe(true);
    expect(out.information).toBeGreaterThanOrEqual(0);
    expect(Number.isFinite(out.information)).toBe(true);
  });
});

test("observed curvature is the second derivative, and the information of the 2PL", () => {
  const asymptotes = [undefined, { lower: Float64Array.of(0.2) }, { upper: Float64Array.of(0.9) }];
  const both = { lower: Float64Array.of(0.2), upper: Float64Array.of(0.9) };
  for (const [k, with_] of [...asymptotes, both].entries()) {
    const bank = itemBank(Float64Array.of(1), Float64Array.of(0), with_);
    for (const y of [0, 0.3, 1])
      for (let z = -6; z <= 6; z += 0.5) {
        const curvature = observedCurvature(z, y, bank, 0);
        const h = 1e-5;
        const above = responseDerivatives(z + h, y, bank, 0, out).slope;
        const below = responseDerivatives(z - h, y, bank, 0, out).slope;
        expect(Math.abs(curvature + (above - below) / (2 * h))).toBeLessThan(1e-9); // central differences: h² and ε/h
        if (k === 0) expect(curvature).toBeCloseTo(responseDerivatives(z, y, bank, 0, out).information, 16);
      }
  }
  // A right answer far below a 3PL item is a guess: the likelihood is convex there.
  expect(observedCurvature(-3, 1, itemBank(Float64Array.of(1), Float64Array.of(0), both), 0)).toBeLessThan(0);
});

test("observed curvature stays finite at the ends of the scale", () => {
  for (const with_ of [{}, { lower: Float64Array.of(0.2) }, { upper: Float64Array.of(0.9) }]) {
    const bank = itemBank(Float64Array.of(1), Float64Array.of(0), with_);
    for (const z of [-800, 800])
      for (const y of [0, 0.5, 1]) expect(observedCurvature(z, y, bank, 0)).toBeCloseTo(0, 12);
  }
});

test("a soft score's log-likelihood is the blend of right and wrong", () => {
  const bank = itemBank(Float64Array.of(1), Float64Array.of(0), {
    lower: Float64Array.of(0.1),
    upper: Float64Array.of(0.95),
  });
  const at = (y: number): { logLikelihood: number; slope: number } => ({
    ...responseDerivatives(0.7, y, bank, 0, out),
  });
  for (const y of [0.2, 0.5, 0.9]) {
    expect(at(y).logLikelihood).toBeCloseTo(y * at(1).logLikelihood + (1 - y) * at(0).logLikelihood, 14);
    expect(at(y).slope).toBeCloseTo(y * at(1).slope + (1 - y) * at(0).slope, 14);
  }
});

test.each([1, 7, 2500])("%i answers say what each of them says by itself", (count) => {
  const dims = 3;
  const random = createRandom(`${count} answers`);
  const normals = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
  const [rows, intercepts, theta] = [normals(count * dims), normals(count), normals(dims)];
  const scores = Float64Array.from({ length: count }, () => Math.round(random.next() * 4) / 4);
  const [slopes, informations] = [new Float64Array(count), new Float64Array(count)];
  const value = logisticAnswers(theta, { rows, intercepts, scores }, { slopes, informations });

  const bank = itemBank(rows, intercepts);
  const point = { logLikelihood: 0, slope: 0, information: 0 };
  let sum = 0;
  for (let j = 0; j < count; j++) {
    responseDerivatives(itemLogit(theta, bank, j), scores[j]!, bank, j, point);
    sum += point.logLikelihood;
    expect(slopes[j]).toBe(point.slope);
    expect(informations[j]).toBe(point.information);
  }
  expect(Math.abs(value - sum)).toBeLessThanOrEqual(count * 2 ** -50 * (1 + Math.abs(sum)));
});

test("answers far out in the tails are as sure or as impossible as their logits say", () => {
  const out = new Float64Array(2);
  const value = logisticAnswers(
    Float64Array.of(1),
    { rows: Float64Array.of(800, 800), intercepts: Float64Array.of(0, 0), scores: Float64Array.of(1, 0) },
    { slopes: out, informations: new Float64Array(2) },
  );
  expect(value).toBe(-800);
  expect(Array.from(out)).toEqual([0, -1]);
});

const { cases: informationCases, tolerance: informationTolerance } = readFixture<{
  tolerance: { relative: number };
  cases: {
    name: string;
    items: FixtureItems;
    theta: number[];
    expected: { information: number[]; itemInformation: number[]; testInformation: number[] };
  }[];
}>("numpy/response.json");

describe.each(informationCases)("$name", ({ items, theta, expected }) => {
  const bank = bankOf(items);
  const at = Float64Array.from(theta);

  test("information of each item", () => {
    for (let i = 0; i < bank.count; i++) {
      expect(relativeError(logitInformation(at, bank, i), expected.information[i]!)).toBeLessThanOrEqual(
        informationTolerance.relative,
      );
      expect(relativeError(itemInformation(at, bank, i), expected.itemInformation[i]!)).toBeLessThanOrEqual(
        informationTolerance.relative,
      );
    }
  });

  test("information of the test is a symmetric D×D matrix", () => {
    const all = Array.from({ length: bank.count }, (_, i) => i);
    const matrix = testInformation(at, bank, all);
    const largest = Math.max(...expected.testInformation.map(Math.abs));
    expect(matrix).toHaveLength(bank.dims ** 2);
    matrix.forEach((value, k) =>
      // Off the diagonal terms of either sign cancel: accurate relative to the largest entry.
      expect(Math.abs(value - expected.testInformation[k]!)).toBeLessThanOrEqual(
        informationTolerance.relative * largest,
      ),
    );
    for (let r = 0; r < bank.dims; r++)
      for (let c = 0; c < r; c++)
        expect(Math.abs(matrix[r * bank.dims + c]! - matrix[c * bank.dims + r]!)).toBeLessThanOrEqual(
          informationTolerance.relative * largest,
        );
  });
});

test("is additive over items", () => {
  const bank = itemBank(Float64Array.of(1, 0.5, 2, 1, -0.3, 0.8), Float64Array.of(0, 1, -1));
  const at = Float64Array.of(0.3, -0.2);
  const parts = [0, 1, 2].map((item) => testInformation(at, bank, [item]));
  testInformation(at, bank, [0, 1, 2]).forEach((value, k) =>
    expect(value).toBeCloseTo(parts[0]![k]! + parts[1]![k]! + parts[2]![k]!, 14),
  );
  expect(testInformation(at, bank, [])).toEqual(new Float64Array(4));
});

test("sees the upper asymptote: 1/6 at a = 1, b = 0, u = 0.8, where formulas without it give 0.24", () => {
  const bank = itemBank(Float64Array.of(1), Float64Array.of(0), { upper: Float64Array.of(0.8) });
  expect(itemInformation(Float64Array.of(0), bank, 0)).toBeCloseTo(1 / 6, 15);
});
