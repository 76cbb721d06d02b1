import { itemBank, itemLogit, responseDerivatives } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { observedCurvature } from "../../../sdk/core/irt/response.ts";
import { bankOf, readFixture, relativeError, type FixtureItems } from "../../support/fixture.ts";

const { cases, tolerance } = readFixture<{
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

test.each(cases)("$name", ({ items, theta, scores, expected }) => {
  const bank = bankOf(items);
  const at = Float64Array.from(theta);
  for (let i = 0; i < bank.count; i++) {
    expect(responseDerivatives(itemLogit(at, bank, i), scores[i]!, bank, i, out)).toBe(out);
    expect(Math.abs(out.logLikelihood - expected.logLikelihood[i]!)).toBeLessThanOrEqual(
      tolerance.absolute + tolerance.relative * Math.abs(expected.logLikelihood[i]!),
    );
    expect(relativeError(out.information, expected.information[i]!)).toBeLessThanOrEqual(tolerance.relative);
    expect(Math.abs(out.slope - expected.slope[i]!)).toBeLessThanOrEqual(
      tolerance.absolute + tolerance.relative * Math.abs(expected.slope[i]!),
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
