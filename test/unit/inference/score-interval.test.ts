import type { AnsweredSample } from "anchoreval/internal/core/estimators/types";
import { atLeastBinomial, samplingVariance } from "anchoreval/internal/core/inference/sampling-variance";
import {
  designInterval,
  type SampledScore,
  weightedScore,
  wilsonInterval,
} from "anchoreval/internal/core/inference/score-interval";
import { normalCdf, normalQuantile, studentTQuantile } from "anchoreval/internal/core/numeric/distributions";
import { describe, expect, test } from "vitest";
import { rankedGap } from "../../../sdk/core/inference/ranks.ts";
import { NO_SAMPLING } from "../../../sdk/core/inference/sampling-variance.ts";
import { moreItems, type VariancePart } from "../../../sdk/core/inference/score-interval.ts";
import { readFixture } from "../../support/fixture.ts";

const { design, weighted, tolerance } = readFixture<{
  tolerance: { absolute: number };
  weighted: {
    level: number;
    parts: { share: number; score: number; sampling: [number, number | null, number, number] }[];
    score: number;
    sampling: [number, number, number, number];
    expected: [number, number];
  }[];
  design: {
    name: string;
    estimate: number;
    scores: number[];
    mass: number[];
    inclusion: number[];
    residuals: number[];
    level: number;
    expected: [number, number];
  }[];
}>("numpy/intervals.json");

/** A sample; its scores alternate between 1 and 0 unless they are given. */
function sampleOf(
  mass: readonly number[],
  inclusion: readonly number[] | null,
  scores: readonly number[] = mass.map((_, j) => 1 - (j % 2)),
): AnsweredSample {
  return {
    items: Uint32Array.from(mass, (_, j) => j),
    positions: Uint32Array.from(mass, (_, j) => j),
    scores: Float64Array.from(scores),
    mass: Float64Array.from(mass),
    inclusion: inclusion && Float64Array.from(inclusion),
    share: 1,
  };
}

const anywhere = { low: 0, high: 1 };

/** The interval from the sample itself. */
function intervalOf(
  score: number,
  sample: AnsweredSample,
  residuals: Float64Array,
  level: number,
): { low: number; high: number } | null {
  const sampling = samplingVariance(score, sample, residuals);
  return sampling && designInterval({ score, bounds: anywhere, sampling }, level);
}

test.each(design)("as its docstring states it: $name", (reference) => {
  const { estimate, scores, mass, inclusion, residuals, level, expected } = reference;
  const sample = sampleOf(mass, inclusion, scores);
  const interval = intervalOf(estimate, sample, Float64Array.from(residuals), level)!;
  expect(Math.abs(interval.low - expected[0])).toBeLessThan(tolerance.absolute);
  expect(Math.abs(interval.high - expected[1])).toBeLessThan(tolerance.absolute);
});

const equal = (n: number): number[] => new Array<number>(n).fill(1 / n);
const residuals = Float64Array.of(0.3, -0.2, 0.5, -0.6, 0.1, -0.1, 0.4, -0.4);

describe("no interval", () => {
  test("for a purposive choice", () => {
    expect(intervalOf(0.5, sampleOf(equal(8), null), residuals, 0.95)).toBeNull();
  });

  test("for a single answer", () => {
    expect(intervalOf(0.5, sampleOf([1], [0.2]), Float64Array.of(0.3), 0.95)).toBeNull();
  });
});

test("a census has no sampling error", () => {
  expect(intervalOf(0.4, sampleOf(equal(8), equal(8).fill(1)), residuals, 0.95)).toEqual({ low: 0.4, high: 0.4 });
});

test("items that are always asked add none", () => {
  // Halves of the mass: 8 items drawn at 0.1, and one certain item of mass ½ whose residual changes ē only.
  const mass = [...equal(8).map((value) => value / 2), 0.5];
  const some = intervalOf(0.5, sampleOf(mass, [...equal(8).fill(0.1), 1]), Float64Array.of(...residuals, 0), 0.95)!;
  const all = intervalOf(0.5, sampleOf(equal(8), equal(8).fill(0.1)), residuals, 0.95)!;
  expect(some.high - some.low).toBeLessThan(0.6 * (all.high - all.low));
});

test("is narrower with a larger share of the items, smaller residuals, more answers", () => {
  const width = (inclusion: number, scale: number, repeats = 1): number => {
    const all = Float64Array.from({ length: 8 * repeats }, (_, j) => scale * residuals[j % 8]!);
    const { low, high } = intervalOf(0.5, sampleOf(equal(8 * repeats), equal(8 * repeats).fill(inclusion)), all, 0.95)!;
    return high - low;
  };
  expect(width(0.9, 1)).toBeLessThan(0.5 * width(0.1, 1));
  expect(width(0.1, 0.5)).toBeLessThan(width(0.1, 1));
  expect(width(0.1, 1, 4)).toBeLessThan(0.6 * width(0.1, 1));
});

test("a variance that rests on few right or few wrong answers weighs little", () => {
  const width = (right: number): number => {
    const scores = Array.from({ length: 40 }, (_, j) => (j % 40 < right ? 1 : 0));
    const residual = Float64Array.from({ length: 40 }, (_, j) => 0.02 * (-1) ** j);
    const { low, high } = intervalOf(0.3, sampleOf(equal(40), equal(40).fill(0.1), scores), residual, 0.95)!;
    return high - low;
  };
  // The residuals are tiny all the same: only how many events stand behind them differs.
  expect(width(2)).toBeGreaterThan(1.5 * width(20));
  expect(width(38)).toBeCloseTo(width(2), 12);
});

test("answers that are all wrong never rule out 0, nor all right 1", () => {
  const of = (score: number): { low: number; high: number } =>
    intervalOf(0.5, sampleOf(equal(8), equal(8).fill(0.1), new Array<number>(8).fill(score)), residuals, 0.95)!;
  expect(of(0).low).toBe(0);
  expect(of(0).high).toBeLessThan(1);
  expect(of(1).high).toBe(1);
  expect(of(1).low).toBeGreaterThan(0);
});

test("right predictions all the way are not certainty", () => {
  const { low, high } = intervalOf(0.5, sampleOf(equal(8), equal(8).fill(0.1)), new Float64Array(8), 0.95)!;
  expect(high - low).toBeGreaterThan(0.2);
});

test("lies inside what the answers prove, and holds the score", () => {
  const sampling = samplingVariance(0.5, sampleOf(equal(8), equal(8).fill(0.1)), residuals)!;
  const bounds = { low: 0.45, high: 0.52 };
  expect(designInterval({ score: 0.5, bounds, sampling }, 0.95)).toEqual(bounds);
});

describe("a weighted mean of scores", () => {
  test.each(weighted)("as its docstring states it, at level $level", ({ level, parts, score, sampling, expected }) => {
    const together = weightedScore(
      parts.map(({ share, score: own, sampling: [variance, degrees, answers, right] }) => ({
        share,
        score: own,
        bounds: anywhere,
        sampling: { variance, degrees: degrees ?? Infinity, answers, right, unit: 1 / answers, bias: 0 },
      })),
    );
    expect(together.score).toBeCloseTo(score, 14);
    const { variance, degrees, answers, right } = together.sampling;
    expect(variance / sampling[0]).toBeCloseTo(1, 12);
    expect(degrees / sampling[1]).toBeCloseTo(1, 12);
    expect([answers, right]).toEqual(sampling.slice(2));
    const { low, high } = designInterval(together, level);
    expect(Math.abs(low - expected[0])).toBeLessThan(tolerance.absolute);
    expect(Math.abs(high - expected[1])).toBeLessThan(tolerance.absolute);
  });

  const one: SampledScore = {
    score: 0.4,
    bounds: { low: 0.1, high: 0.9 },
    sampling: { variance: 0.004, degrees: 9, answers: 20, right: 8, unit: 0.05, bias: 0 },
  };

  test("of one score is that score", () => {
    const { score, bounds, sampling } = weightedScore([{ ...one, share: 1 }]);
    expect({ score, bounds }).toEqual({ score: one.score, bounds: one.bounds });
    expect(sampling.variance).toBe(one.sampling.variance);
    expect(sampling.degrees).toBeCloseTo(one.sampling.degrees, 12);
  });

  test("of independent draws: variances add up by W², biases by W and with their signs", () => {
    const biased = (bias: number): SampledScore => ({ ...one, sampling: { ...one.sampling, bias } });
    const pair = (...biases: readonly number[]): number =>
      weightedScore(biases.map((bias) => ({ ...biased(bias), share: 0.5 }))).sampling.bias;
    expect(pair(0.02, 0.04)).toBeCloseTo(0.03, 15);
    expect(pair(0.02, -0.02)).toBe(0);
    const whole = designInterval(one, 0.95);
    const { low, high } = designInterval(biased(0.05), 0.95);
    const reach = studentTQuantile(0.975, 9) * 0.05;
    expect(0.4 - low).toBeCloseTo(Math.hypot(0.4 - whole.low, reach), 14);
    expect(high - 0.4).toBeCloseTo(Math.hypot(whole.high - 0.4, reach), 14);
    expect(designInterval(biased(-0.05), 0.95)).toEqual({ low, high });
  });

  test("of scores that rest on no draw has no width", () => {
    const known = { score: 0.25, bounds: { low: 0.25, high: 0.25 }, sampling: NO_SAMPLING };
    const together = weightedScore([
      { ...known, share: 0.5 },
      { ...known, share: 0.5 },
    ]);
    expect(designInterval(together, 0.95)).toEqual({ low: 0.25, high: 0.25 });
  });

  test("with equal parts has as many times their degrees of freedom, and their variance over their number", () => {
    const { sampling } = weightedScore([1, 2, 3, 4].map(() => ({ ...one, share: 0.25 })));
    expect(sampling.variance).toBeCloseTo(0.001, 15);
    expect(sampling.degrees).toBeCloseTo(36, 10);
  });
});

const { wilson, tolerance: wilsonTolerance } = readFixture<{
  tolerance: { absolute: number };
  wilson: { p: number; n: number; z: number; expected: [number, number] }[];
}>("numpy/intervals.json");

test.each(wilson)("p = $p, n = $n, z = $z: roots of (p − π)² = z²π(1−π)/n", ({ p, n, z, expected }) => {
  const { low, high } = wilsonInterval(p, n, z);
  expect(Math.abs(low - expected[0])).toBeLessThan(wilsonTolerance.absolute);
  expect(Math.abs(high - expected[1])).toBeLessThan(wilsonTolerance.absolute);
});

describe("at the ends", () => {
  test("stays inside [0,1] and holds p", () => {
    for (const p of [0, 1e-9, 0.5, 1 - 1e-9, 1])
      for (const n of [0.5, 1, 10, 1e6]) {
        const { low, high } = wilsonInterval(p, n, 2);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(p + 1e-12);
        expect(high).toBeGreaterThanOrEqual(p - 1e-12);
      }
  });

  test("no success leaves z²/(n + z²) possible", () => {
    expect(wilsonInterval(0, 20, 2).high).toBeCloseTo(4 / 24, 15);
    expect(wilsonInterval(1, 20, 2).low).toBeCloseTo(20 / 24, 15);
  });
});

test("is mirrored by swapping success and failure", () => {
  const one = wilsonInterval(0.2, 30, 1.96);
  const other = wilsonInterval(0.8, 30, 1.96);
  expect(one.low).toBeCloseTo(1 - other.high, 14);
  expect(one.high).toBeCloseTo(1 - other.low, 14);
});

test("z = 0 is a point", () => {
  expect(wilsonInterval(0.3, 10, 0)).toEqual({ low: 0.3, high: 0.3 });
});

const { cases, tolerance: itemsTolerance } = readFixture<{
  tolerance: { items: number };
  cases: { parts: VariancePart[]; wanted: number; expected: number }[];
}>("comparison/items-needed.json");

// The reference counts whole items in the first scenario's steps, this one rounds every scenario up by itself.
test.each(cases)("$expected items more, by a search one by one", ({ parts, wanted, expected }) => {
  expect(Math.abs(moreItems(parts, wanted) - expected)).toBeLessThanOrEqual(itemsTolerance.items * parts.length);
});

test("nothing more where it is reached, all that there are for certainty", () => {
  const part = { share: 1, variance: 0.001, items: 50, of: 400 };
  expect(moreItems([part], 0.001)).toBe(0);
  expect(moreItems([part], 1)).toBe(0);
  expect(moreItems([part], 0)).toBe(350);
  expect(
    moreItems(
      [
        { ...part, share: 0.5 },
        { share: 0.5, variance: 0, items: 60, of: 60 },
      ],
      0,
    ),
  ).toBe(350);
});

test("a gap of that size is ranked right as often as it says", () => {
  for (const share of [0.6, 0.8, 0.95]) expect(normalCdf(rankedGap(0.03, share) / 0.03)).toBeCloseTo(share, 12);
});

test.each([5, 10, 30, 100])(
  "a variance of as many random items at least: no narrower than Wilson's on %i",
  (answers) => {
    for (const variance of [0, 1e-6, 0.01])
      for (let right = 1; right < answers; right++) {
        const score = right / answers;
        const sampling = atLeastBinomial(
          { variance, degrees: answers, answers, right, unit: 1 / answers, bias: 0 },
          score,
        );
        expect(sampling.variance).toBeGreaterThanOrEqual(variance);
        const { low, high } = designInterval({ score, bounds: { low: 0, high: 1 }, sampling }, 0.95);
        const wilson = wilsonInterval(score, answers, normalQuantile(0.975));
        expect(low).toBeLessThan(wilson.low);
        expect(high).toBeGreaterThan(wilson.high);
      }
  },
);
