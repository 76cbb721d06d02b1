import { higherOrderPrior, scaledPrior } from "anchoreval/internal/core/ability/prior";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { describe, expect, test } from "vitest";
import {
  type Population,
  populationAbilities,
  predictAnswers,
} from "anchoreval/internal/features/adaptive/core/population";

const bank = itemBank(Float32Array.of(1, 0.5, 2, 1.2), Float32Array.of(0, -1, 1.5, 0.3));
const prior = scaledPrior(Float64Array.of(0.2), Float64Array.of(1), 1.5);
const one = (own: typeof bank, scoreMap: Population["scenarios"][number]["scoreMap"] = null): Population => ({
  scenarios: [{ id: "s", begin: 0, bank: own, scoreMap, prior }],
  count: 4,
  weights: new Float64Array(4).fill(0.25),
  factors: null,
});

/** ∫ P(θ) N(θ; μ, s²) dθ by the trapezoidal rule. */
function expectedScore(p: (theta: number) => number, mean: number, deviation: number): number {
  let [sum, mass] = [0, 0];
  for (let x = -8; x <= 8; x += 0.01) {
    const density = Math.exp(-0.5 * x * x);
    sum += density * p(mean + deviation * x);
    mass += density;
  }
  return sum / mass;
}

describe("expected scores", () => {
  test("before the first answer they are the prior's, ability and its uncertainty both", () => {
    const expected = predictAnswers(one(bank), { items: [], scores: [] });
    for (let i = 0; i < 4; i++) {
      const exact = expectedScore((theta) => 1 / (1 + Math.exp(bank.b[i]! - bank.a[i]! * theta)), 0.2, 1.5);
      expect(Math.abs(expected[i]! - exact)).toBeLessThan(0.015); // MacKay's approximation
    }
  });

  test("after answers they are the posterior's", () => {
    const asked = { items: [0, 1, 2], scores: [1, 1, 0] };
    const expected = predictAnswers(one(bank), asked);
    const abilities = populationAbilities(one(bank), asked);
    const { theta, standardError } = abilities[0]!;
    for (let i = 0; i < 4; i++) {
      const p = (at: number): number => 1 / (1 + Math.exp(bank.b[i]! - bank.a[i]! * at));
      expect(Math.abs(expected[i]! - expectedScore(p, theta[0]!, standardError[0]!))).toBeLessThan(0.015);
    }
    expect(populationAbilities(one(bank), { items: [0], scores: [NaN] })[0]!.theta[0]).toBeCloseTo(0.2, 10);
  });

  test("with asymptotes and a score map they are on the score's scale", () => {
    const guessed = itemBank(bank.a, bank.b, { lower: Float32Array.of(0.25, 0.25, 0.25, 0.25) });
    const map = { x: Float64Array.of(0, 1), y: Float64Array.of(0.1, 0.6) };
    const plain = predictAnswers(one(bank), { items: [], scores: [] });
    const mapped = predictAnswers(one(guessed, map), { items: [], scores: [] });
    plain.forEach((p, i) => expect(mapped[i]).toBeCloseTo(0.1 + 0.5 * (0.25 + 0.75 * p), 6));
  });
});

test("what is answered in one scenario counts in a linked one", () => {
  const linked = higherOrderPrior(Float64Array.of(0), Float64Array.of(1), 2, Float64Array.of(0.9), 1);
  const population: Population = {
    scenarios: [
      { id: "s", begin: 0, bank, scoreMap: null, prior: linked },
      { id: "t", begin: 4, bank, scoreMap: null, prior: linked },
    ],
    count: 8,
    weights: new Float64Array(8).fill(0.125),
    factors: null,
  };
  const expected = predictAnswers(population, { items: [0, 1, 2, 3], scores: [1, 1, 1, 1] });
  const before = predictAnswers(population, { items: [], scores: [] });
  for (let i = 4; i < 8; i++) expect(expected[i]).toBeGreaterThan(before[i]!);
});
