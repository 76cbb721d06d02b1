import {
  oneSidedConfidence,
  pairedInterval,
  studentTCdf,
  studentTQuantile,
  weightedDifference,
  type SampledDifference,
} from "anchoreval/core";
import { describe, expect, test } from "vitest";

const anywhere = { low: -1, high: 1 };
const sampled = (difference: number, variance: number, degrees = 20, bounds = anywhere): SampledDifference => ({
  difference,
  bounds,
  sampling: { variance, degrees },
});
const turned = ({ difference, bounds, sampling }: SampledDifference): SampledDifference => ({
  difference: -difference,
  bounds: { low: -bounds.high, high: -bounds.low },
  sampling,
});

test("D ± t·SE, cut to what the answers prove", () => {
  const half = studentTQuantile(0.95, 20) * 0.05;
  expect(pairedInterval(sampled(0.1, 0.0025), 0.9)).toEqual({ low: 0.1 - half, high: 0.1 + half });
  expect(pairedInterval(sampled(0.1, 0.0025, 20, { low: 0.09, high: 0.12 }), 0.9)).toEqual({ low: 0.09, high: 0.12 });
  expect(pairedInterval(sampled(0.1, 0, Infinity), 0.9)).toEqual({ low: 0.1, high: 0.1 });
});

test("turned around it is the other model's", () => {
  for (const one of [sampled(0.03, 0.001), sampled(-0.4, 0.02, 3), sampled(0.1, 0.01, 9, { low: 0.05, high: 0.3 })]) {
    const { low, high } = pairedInterval(one, 0.95);
    expect(pairedInterval(turned(one), 0.95)).toEqual({ low: -high, high: -low });
    expect(oneSidedConfidence(turned(one))).toBeCloseTo(1 - oneSidedConfidence(one), 14);
  }
});

describe("one-sided confidence", () => {
  test("is the level at which the one-sided interval just excludes 0", () => {
    for (const [difference, variance, degrees] of [
      [0.1, 0.0025, 20],
      [0.01, 0.0009, 7.5],
      [0.3, 0.004, 60],
    ] as const) {
      const one = sampled(difference, variance, degrees);
      const confidence = oneSidedConfidence(one);
      // A one-sided interval at c has the limit of the two-sided one at 2c − 1.
      expect(pairedInterval(one, 2 * confidence - 1).low).toBeCloseTo(0, 10);
      expect(confidence).toBe(studentTCdf(difference / Math.sqrt(variance), degrees));
    }
  });

  test("is certain only where the answers prove it, and a half where nothing speaks", () => {
    expect(oneSidedConfidence(sampled(0.1, 0.01, 9, { low: 0.001, high: 1 }))).toBe(1);
    expect(oneSidedConfidence(sampled(-0.1, 0.01, 9, { low: -1, high: -0.001 }))).toBe(0);
    expect(oneSidedConfidence(sampled(0, 0.01))).toBe(0.5);
    expect([0.2, -0.2, 0].map((gap) => oneSidedConfidence(sampled(gap, 0, Infinity)))).toEqual([1, 0, 0.5]);
  });
});

describe("several scenarios together", () => {
  test("variances add with the squares of their shares, degrees by Satterthwaite", () => {
    const found = weightedDifference([
      { share: 0.5, ...sampled(0.1, 0.004, 20) },
      { share: 0.5, ...sampled(-0.02, 0.002, 40) },
    ]);
    expect(found.difference).toBeCloseTo(0.04, 15);
    expect(found.sampling.variance).toBeCloseTo(0.0015, 15);
    expect(found.sampling.degrees).toBeCloseTo(0.0015 ** 2 / (0.001 ** 2 / 20 + 0.0005 ** 2 / 40), 8);
  });

  test("exact scenarios add no variance, all of them none", () => {
    const exact = { share: 0.5, ...sampled(0.3, 0, Infinity, { low: 0.3, high: 0.3 }) };
    const half = weightedDifference([exact, { share: 0.5, ...sampled(0.1, 0.004, 20) }]);
    expect(half.sampling).toEqual({ variance: 0.001, degrees: expect.closeTo(20, 10) as number });
    const whole = weightedDifference([exact, exact]);
    expect(pairedInterval(whole, 0.95)).toEqual({ low: 0.3, high: 0.3 });
  });
});
