import { createRandom, designInterval, gatedSampling } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { intervalTightening } from "../../../offline-trainer/src/fit/blend-figures.ts";
import { heldOutInterval } from "../../../offline-trainer/src/fit/held-out-scores.ts";
import { blendAt, drawnEstimates, rowsOf } from "./held-out-estimates.ts";
import { stackOf } from "../../support/stack-of.ts";

const random = createRandom("interval tightening");
const blend = { ...blendAt(0.5), stack: stackOf({ gaussian: 1 }) };
const alone = Int32Array.from({ length: 500 }, (_, m) => m);

/** Models well inside the range, whose Gaussian errs by a given share of what the draw of the anchors would allow. */
function inside(models: number, error: number): HeldOutEstimate[] {
  return drawnEstimates(random, { models: rowsOf(models), truth: () => 0.4 + 0.2 * random.next() }).map((estimate) => ({
    ...estimate,
    base: { ...estimate.base, "p-irt-dr": 0.5, "p-irt": 0.5, gaussian: estimate.truth + error * random.normal() },
    seen: { worst: 0, best: 1, overall: null },
    bounds: { low: 0, high: 1 },
    sampling: { variance: 0.05 ** 2, degrees: 1000, answers: 100, right: 50 },
  }));
}

describe("intervalTightening", () => {
  test("is about the share of the draw's error that the gate has, and below it widens", () => {
    for (const share of [0.4, 1.5]) {
      const { inside: tau } = intervalTightening(inside(400, share * 0.05), alone, blend);
      expect(Math.abs(tau / share - 1)).toBeLessThan(0.15);
    }
  });

  test("intervals that it makes hold a new model's score as often as promised", () => {
    let held = 0;
    const repeats = 1500;
    for (let repeat = 0; repeat < repeats; repeat++) {
      const [fresh, ...seen] = inside(40, 0.03) as [HeldOutEstimate];
      const own = { ...blend, tightening: intervalTightening(seen, alone, blend) };
      const { low, high } = heldOutInterval(fresh, "gate", own)!;
      if (low <= fresh.truth && fresh.truth <= high) held++;
    }
    // Exactly 38/40 of the time; five standard errors are 0.028.
    expect(Math.abs(held / repeats - 0.95)).toBeLessThan(0.028);
  });

  test("is 1 for fewer than 39 models, or 8 families: then the draw is all that is known", () => {
    const none = { inside: 1, outside: 1 };
    const families = (count: number): Int32Array => alone.map((m) => m % count);
    expect(intervalTightening(inside(38, 0.01), alone, blend)).toEqual(none);
    expect(intervalTightening(inside(39, 0.01), alone, blend).inside).toBeLessThan(0.6);
    expect(intervalTightening(inside(60, 0.01), families(7), blend)).toEqual(none);
    expect(intervalTightening(inside(60, 0.01), families(8), blend).inside).toBeLessThan(0.6);
    expect(intervalTightening([], alone, blend)).toEqual(none);
  });

  test("a model whose estimate failed counts as one that no interval would have held", () => {
    const estimates = inside(60, 0.01);
    const spoilt = estimates.map((estimate, k) => (k < 5 ? { ...estimate, sampling: null } : estimate));
    expect(intervalTightening(spoilt, alone, blend).inside).toBe(1);
  });

  test("outside the range, half of what the half correction saved is counted on, and a loss isn't", () => {
    const corrected = (own: number, whole: number): HeldOutEstimate[] =>
      inside(60, 0.01).map((estimate) => {
        const { truth, base } = estimate;
        // The partly corrected mean is ½·p-irt-dr + ½·p-irt.
        return { ...estimate, base: { ...base, "p-irt-dr": truth + whole, "p-irt": truth + 2 * own - whole } };
      });
    const { outside } = intervalTightening(corrected(0.03, 0.05), alone, blend);
    expect(outside ** 2).toBeCloseTo((1 + 0.36) / 2, 12);
    expect(intervalTightening(corrected(0.06, 0.05), alone, blend).outside).toBe(1);
    expect(intervalTightening(corrected(0, 0), alone, blend).outside).toBe(1);
  });
});

describe("gatedSampling", () => {
  const sampling = { variance: 0.0025, degrees: 30, answers: 50, right: 20 };

  test("is the draw's, tightened inside the range and outside of it, and in between by the chance", () => {
    const variance = (share: number, gap: number, inside: number, outside: number): number =>
      gatedSampling(sampling, { share, gap }, { inside, outside }).variance;
    expect(gatedSampling(sampling, { share: 1, gap: 0.3 }, { inside: 0.5, outside: 1 })).toEqual(sampling);
    expect(variance(1, 0.3, 0.5, 0.8)).toBeCloseTo(0.0025 * 0.64, 15);
    expect(variance(0, 0.3, 0.5, 0.8)).toBeCloseTo(0.0025 / 4, 15);
    expect(variance(0.5, 0, 0.5, 1)).toBeCloseTo(0.0025 * (0.5 / 4 + 0.5), 15);
    expect(variance(0.25, 0.2, 1, 1)).toBeCloseTo(0.0025 + 0.25 * 0.75 * 0.04, 15);
  });

  test("scales an interval's half-width, far from 0 and 1", () => {
    const half = (variance: number): number => {
      const { low, high } = designInterval(
        { score: 0.5, bounds: { low: 0, high: 1 }, sampling: { ...sampling, variance, degrees: 1e6 } },
        0.95,
      );
      return (high - low) / 2;
    };
    const tight = gatedSampling({ ...sampling, variance: 1e-4 }, { share: 0, gap: 0.1 }, { inside: 0.6, outside: 1 });
    expect(half(tight.variance) / half(1e-4)).toBeCloseTo(0.6, 3);
  });
});
