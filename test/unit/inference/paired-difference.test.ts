import { answeredSample } from "anchoreval/internal/core/estimators/answered-sample";
import type { AnsweredSample } from "anchoreval/internal/core/estimators/types";
import {
  midPMcNemar,
  oneSidedConfidence,
  pairedInterval,
  type SampledDifference,
} from "anchoreval/internal/core/inference/paired-difference";
import { studentTQuantile } from "anchoreval/internal/core/numeric/distributions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  discordance,
  NO_PAIRED_SAMPLING,
  type PairedAnswers,
  pairedSampling,
  weightedDifference,
} from "../../../sdk/core/inference/paired-difference.ts";
import { studentTCdf } from "../../../sdk/core/numeric/distributions.ts";
import { readFixture, relativeError } from "../../support/fixture.ts";

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

interface Answers {
  readonly scores: number[];
  readonly predicted: number[];
  readonly leverages: number[];
}

const { cases, tolerance } = readFixture<{
  tolerance: { relative: number };
  cases: {
    name: string;
    difference: number;
    mass: number[];
    inclusion: number[];
    a: Answers;
    b: Answers;
    expected: [number, number];
  }[];
}>("comparison/paired.json");

function sampleOf(
  mass: readonly number[],
  inclusion: readonly number[] | null,
  scores: readonly number[],
): AnsweredSample {
  const items = Uint32Array.from(mass, (_, j) => j);
  const anchors = { items, mass: Float64Array.from(mass), inclusion: inclusion && Float64Array.from(inclusion) };
  return answeredSample(anchors, scores)!;
}

/** Answers whose predictions nobody fitted to them: no leverage. */
function answers(scores: readonly number[], predicted: readonly number[], inclusion: number | null): PairedAnswers {
  const even = scores.map(() => 1 / scores.length);
  const sample = sampleOf(even, inclusion === null ? null : scores.map(() => inclusion), scores);
  return { sample, residuals: scores.map((score, j) => score - predicted[j]!), leverages: scores.map(() => 0) };
}

test.each(cases)("$name: as in exact fractions", ({ difference, mass, inclusion, a, b, expected }) => {
  const own = ({ scores, predicted, leverages }: Answers): PairedAnswers => ({
    sample: sampleOf(mass, inclusion, scores),
    residuals: scores.map((score, j) => (score - predicted[j]!) / (1 - leverages[j]!)),
    leverages,
  });
  const found = pairedSampling(difference, own(a), own(b))!;
  expect(relativeError(found.variance, expected[0])).toBeLessThan(tolerance.relative);
  expect(relativeError(found.degrees, expected[1])).toBeLessThan(tolerance.relative);
  expect(pairedSampling(-difference, own(b), own(a))).toEqual(found);
});

describe("the paired t test is its limit", () => {
  // Items without number (π = 0), no prediction, every order of the anchors alike: neighbours are then random pairs.
  const a = [1, 0, 0.25, 1, 0.5];
  const b = [0.5, 0.75, 0.25, 0, 1];
  const n = a.length;
  const gaps = a.map((value, j) => b[j]! - value);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / n;
  const paired = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (n - 1) / n;

  function* orders(rest: readonly number[]): Generator<number[]> {
    if (rest.length === 0) yield [];
    for (const first of rest) for (const more of orders(rest.filter((j) => j !== first))) yield [first, ...more];
  }

  test("its variance, on average over the anchors' orders, is s²/n pooled with that without a model", () => {
    const zero = new Array<number>(n).fill(0);
    let sum = 0;
    let count = 0;
    for (const order of orders([0, 1, 2, 3, 4])) {
      const take = (values: readonly number[]): number[] => order.map((j) => values[j]!);
      sum += pairedSampling(mean, answers(take(a), zero, 0), answers(take(b), zero, 0))!.variance;
      count++;
    }
    const squares = gaps.reduce((total, gap) => total + gap ** 2, 0);
    const size = (squares + 0.25) / (gaps.reduce((total, gap) => total + Math.abs(gap), 0) + 0.25);
    const ahead = gaps.reduce((total, gap) => total + Math.max(0, gap), 0) / size;
    const behind = gaps.reduce((total, gap) => total + Math.max(0, -gap), 0) / size;
    const known = Math.min((2 * (n - 1) ** 2) / (3 * n - 4), 2 * (n - Math.max(ahead, behind, n - ahead - behind)));
    const free = ((squares + size ** 2) / (n + 2) - mean ** 2) / n;
    expect(count).toBe(120);
    expect(sum / count).toBeCloseTo((known * paired + 2 * free) / (known + 2), 14);
  });

  test("and with many discordant answers that is s²/n, on two thirds of its degrees of freedom", () => {
    const random = createRandom("paired t");
    const draw = (share: number): number[] => Array.from({ length: 4000 }, () => (random.next() < share ? 1 : 0));
    const [one, other] = [draw(0.4), draw(0.6)];
    const zero = one.map(() => 0);
    const differences = one.map((value, j) => other[j]! - value);
    const average = differences.reduce((sum, gap) => sum + gap, 0) / one.length;
    const squares = differences.reduce((sum, gap) => sum + (gap - average) ** 2, 0) / (one.length - 1);
    const found = pairedSampling(average, answers(one, zero, 0), answers(other, zero, 0))!;
    expect(found.degrees / (one.length - 1)).toBeCloseTo(2 / 3, 2);
    // Neighbours' squared differences know a variance to √(3/n): three of those.
    expect(Math.abs(found.variance / (squares / one.length) - 1)).toBeLessThan(3 * Math.sqrt(3 / one.length));
  });
});

describe("at the ends", () => {
  test("a purposive choice has none, one drawn anchor is too few, none drawn is exact", () => {
    const two = answers([1, 0], [0.5, 0.5], null);
    expect(pairedSampling(0, two, two)).toBeNull();
    const one = answers([1], [0.5], 0.1);
    expect(pairedSampling(0, one, one)).toBeNull();
    const all = answers([1, 0], [0.5, 0.5], 1);
    expect(pairedSampling(0, all, all)).toEqual(NO_PAIRED_SAMPLING);
  });

  test("like answers of both models aren't certainty: the variance is that of one discordant answer in n + 2", () => {
    const same = answers([1, 0, 1, 1, 0, 1], [0.9, 0.2, 0.8, 0.7, 0.1, 0.6], 0.25);
    expect(pairedSampling(0, same, same)!.variance).toBeCloseTo(((1 / 8) * 0.75) / 6, 15);
  });

  test("nor is one small difference; many small ones are known by their own size", () => {
    const zero = new Array<number>(40).fill(0);
    const varianceOf = (gaps: readonly number[]): number =>
      pairedSampling(0, answers(zero, zero, 0.25), answers(gaps, zero, 0.25))!.variance;
    const none = varianceOf(zero);
    expect(varianceOf(zero.map((_, j) => (j === 7 ? 0.01 : 0))) / none).toBeGreaterThan(0.9);
    const random = createRandom("gaps");
    const gaps = zero.map(() => (random.next() < 0.5 ? 0.2 : 0)); // means of runs that differ here and there
    const whole = gaps.map((gap) => 5 * gap);
    expect(varianceOf(gaps) / varianceOf(whole)).toBeLessThan(1.2 / 25);
  });
});

test("counts the items and the points by which either model is ahead", () => {
  const [a, b] = [Float64Array.of(1, 0, 0.5, 1, 0), Float64Array.of(0, 1, 0.75, 1, 0)];
  expect(discordance(a, b)).toEqual({ aHigher: 1, bHigher: 2 });
});

const { cases: mcnemarCases, tolerance: mcnemarTolerance } = readFixture<{
  tolerance: { relative: number };
  cases: { b: number; c: number; expected: number }[];
}>("comparison/mcnemar.json");

test.each(mcnemarCases)("b = $b, c = $c: twice the lower tail, its last term half", ({ b, c, expected }) => {
  expect(relativeError(midPMcNemar(b, c), expected)).toBeLessThan(mcnemarTolerance.relative);
});

test("either model may be named first, and equal counts say nothing", () => {
  for (const [b, c] of [
    [0, 7],
    [12, 30],
    [100, 141],
  ] as const)
    expect(midPMcNemar(c, b)).toBe(midPMcNemar(b, c));
  expect(midPMcNemar(0, 0)).toBe(1);
  expect(midPMcNemar(17, 17)).toBe(1);
});

/** Chance of p ≤ .05 with d discordant items of which each is as likely either model's. */
function rejectedOf(d: number): number {
  let probability = 2 ** -d;
  let rejected = 0;
  for (let b = 0; b <= d; b++) {
    if (midPMcNemar(b, d - b) <= 0.05) rejected += probability;
    probability *= (d - b) / (b + 1);
  }
  return rejected;
}

test("models that are alike are told apart in at most .06 of all samples, and in nearly .05 of large ones", () => {
  const rejected = Array.from({ length: 201 }, (_, d) => rejectedOf(d));
  const sizes: number[] = [];
  for (const n of [30, 50, 100, 200])
    for (const share of [0.05, 0.1, 0.2, 0.35, 0.5]) {
      let probability = (1 - share) ** n; // of d discordant items among n
      let size = 0;
      for (let d = 0; d <= n; d++) {
        size += probability * rejected[d]!;
        probability *= ((n - d) / (d + 1)) * (share / (1 - share));
      }
      sizes.push(size);
    }
  expect(Math.max(...sizes)).toBeLessThan(0.06);
  expect(sizes.at(-1)).toBeGreaterThan(0.045); // the exact test's is .037: this would notice a missing half
});
