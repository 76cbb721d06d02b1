import { createRandom, itemBank, itemResponse, type AnchorFactors } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { scoreFactors, type FactoredScenario } from "../../../offline-trainer/src/calibrate/factors.ts";

const random = createRandom("score factors");
const N = 25;
const D = 2;
const bank = itemBank(
  Float64Array.from({ length: N * D }, () => 0.8 + 0.5 * random.normal()),
  Float64Array.from({ length: N }, () => random.normal()),
);
const weights = new Float64Array(N).fill(1 / N);
const accuracy = Float64Array.from({ length: N }, () => random.next());
const abilities = (models: number): Float64Array => Float64Array.from({ length: models * D }, () => random.normal());

/** Covariance of the curves over the abilities, and the mean of P(1−P). */
function moments(theta: Float64Array): { mean: number[]; covariance: number[][]; open: number[] } {
  const models = theta.length / D;
  const p = Array.from({ length: models }, (_, m) =>
    Array.from({ length: N }, (__, i) => itemResponse(theta.subarray(m * D, (m + 1) * D), bank, i)),
  );
  const average = (value: (m: number) => number): number => p.reduce((sum, _, m) => sum + value(m), 0) / models;
  const mean = Array.from({ length: N }, (_, i) => average((m) => p[m]![i]!));
  return {
    mean,
    covariance: mean.map((_, i) =>
      mean.map((__, j) => average((m) => (p[m]![i]! - mean[i]!) * (p[m]![j]! - mean[j]!))),
    ),
    open: mean.map((_, i) => average((m) => p[m]![i]! * (1 - p[m]![i]!))),
  };
}

const factorsOf = (change: Partial<FactoredScenario> & Pick<FactoredScenario, "theta">): AnchorFactors =>
  scoreFactors([{ bank, scoreMap: null, weights, accuracy, dispersion: 1, ...change }])[0]!;

describe("scoreFactors", () => {
  test("with as many factors as abilities give, loadings and noise are the curves' covariance and the answers'", () => {
    const theta = abilities(12);
    const { rank, loadings, noise, mean, total } = factorsOf({ theta });
    expect(rank).toBeLessThan(12); // centred: one fewer than there are abilities
    const { covariance, open } = moments(theta);
    const variance = covariance.reduce((sum, row, i) => sum + row[i]!, 0);
    let left = 0;
    for (let i = 0; i < N; i++) {
      for (let j = 0; j < N; j++) {
        let value = 0;
        for (let r = 0; r < rank; r++) value += loadings[i * rank + r]! * loadings[j * rank + r]!;
        expect(Math.abs(value - covariance[i]![j]!)).toBeLessThan(1e-3 * variance);
        if (i === j) left += covariance[i]![i]! - value;
        if (i === j) expect(noise[i]).toBeCloseTo(open[i]! + covariance[i]![i]! - value + 1e-4, 5);
      }
      expect(mean[i]).toBeCloseTo(accuracy[i]!, 6);
    }
    expect(left / variance).toBeLessThan(1e-3);
    expect(total.mean).toBeCloseTo(
      Array.from(mean).reduce((sum, value) => sum + value / N, 0),
      12,
    );
  });

  test("keep an item's whole variance, however many factors are left out", () => {
    const theta = abilities(200);
    const factors = factorsOf({ theta });
    expect(factors.rank).toBeLessThanOrEqual(48);
    const every = Float64Array.from({ length: 64 * D }, (_, k) => {
      const m = Math.floor(((Math.floor(k / D) + 0.5) * 200) / 64);
      return theta[m * D + (k % D)]!;
    });
    const { covariance, open } = moments(every);
    for (let i = 0; i < N; i++) {
      let value = factors.noise[i]!;
      for (let r = 0; r < factors.rank; r++) value += factors.loadings[i * factors.rank + r]! ** 2;
      expect(value).toBeCloseTo(covariance[i]![i]! + open[i]! + 1e-4, 5);
    }
  });

  test("graded scores have a share of the binary noise; an item without answers has its predicted mean", () => {
    const theta = abilities(12);
    const unknown = accuracy.with(3, NaN);
    const { mean, noise } = factorsOf({ accuracy: unknown, theta, dispersion: 0.25 });
    const whole = factorsOf({ accuracy: unknown, theta });
    const expected = moments(theta);
    expect(mean[3]).toBeCloseTo(expected.mean[3]!, 6);
    expect(whole.noise[3]! - noise[3]!).toBeCloseTo(0.75 * expected.open[3]!, 5);
  });

  test("of several scenarios say what answers in one tell of another: the covariance of both's curves", () => {
    const theta = abilities(12);
    const other = abilities(12);
    const [first, second] = scoreFactors(
      [theta, other].map((own) => ({ bank, scoreMap: null, weights, accuracy, dispersion: 1, theta: own })),
    );
    expect(second!.rank).toBe(first!.rank);
    const p = [theta, other].map((own) =>
      Array.from({ length: 12 }, (_, m) =>
        Array.from({ length: N }, (__, i) => itemResponse(own.subarray(m * D, (m + 1) * D), bank, i)),
      ),
    );
    const mean = (s: number, i: number): number => p[s]!.reduce((sum, row) => sum + row[i]!, 0) / 12;
    for (let i = 0; i < N; i++)
      for (let j = 0; j < N; j++) {
        let value = 0;
        for (let r = 0; r < first!.rank; r++)
          value += first!.loadings[i * first!.rank + r]! * second!.loadings[j * first!.rank + r]!;
        const expected =
          p[0]!.reduce((sum, row, m) => sum + (row[i]! - mean(0, i)) * (p[1]![m]![j]! - mean(1, j)), 0) / 12;
        expect(value).toBeCloseTo(expected, 2);
      }
  });

  test("one source model, or flat items: finite factors", () => {
    for (const theta of [abilities(1), new Float64Array(8)]) {
      const { rank, loadings, noise } = factorsOf({ theta });
      expect(rank).toBe(1);
      expect([...loadings].every((value) => Math.abs(value) < 1e-6)).toBe(true);
      expect([...noise].every((value) => value > 0 && value < 0.3)).toBe(true);
    }
  });
});
