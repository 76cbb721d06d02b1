import { samplingVariance } from "anchoreval/internal/core/inference/sampling-variance";
import {
  fullScoreAt,
  fullScoreEstimate,
  type FullScoreLine,
  openVariance,
} from "anchoreval/internal/core/scoring/full-score";
import type { ScenarioEstimate } from "anchoreval/internal/core/scoring/scenario-estimate";
import { describe, expect, test } from "vitest";

const line: FullScoreLine = { models: 40, mean: 0.5, level: 0.6, slope: 0.8, error: 0.03, spread: 2, worst: 0.1 };

function estimateOf(inclusion: number): ScenarioEstimate {
  const scores = Float64Array.of(1, 0, 1, 1);
  const sample = {
    items: Uint32Array.of(0, 1, 2, 3),
    positions: Uint32Array.of(0, 1, 2, 3),
    scores,
    mass: new Float64Array(4).fill(0.25),
    inclusion: new Float64Array(4).fill(inclusion),
    share: 1,
  };
  const residuals = Float64Array.of(0.3, -0.4, 0.2, 0.1);
  return {
    base: { "anchor-mean": 0.75, "p-irt": 0.7, "p-irt-dr": 0.72, gaussian: 0.68, "ridge-gap": 0.71, aipw: 0.99 },
    features: null,
    sample,
    bounds: { low: 0.3, high: 0.9 },
    residuals,
    shift: { step: 0.2, information: 0.8, spread: 0.1 },
    unlike: 0,
    leverages: new Float64Array(4),
    sampling: samplingVariance(0.72, sample, residuals),
  };
}

test("an estimate stays as it is where there is no line", () => {
  const estimate = estimateOf(0.1);
  expect(fullScoreEstimate(estimate, null)).toBe(estimate);
});

describe("with a line", () => {
  const estimate = estimateOf(0.1);
  const full = fullScoreEstimate(estimate, line);

  test("every estimator goes by it, and answers prove nothing", () => {
    for (const [id, score] of Object.entries(estimate.base))
      expect(full.base[id as "p-irt"]).toBeCloseTo(0.6 + 0.8 * (score - 0.5), 14);
    expect(full.bounds).toEqual({ low: 0, high: 1 });
  });

  test("the variance is slope² times the draw's and what all items leave open", () => {
    const { variance, degrees } = estimate.sampling!;
    const open = 0.03 ** 2 * (1 + 0.22 ** 2 / 2);
    expect(openVariance(line, 0.72)).toEqual({ variance: expect.closeTo(open, 15) as number, degrees: 38 });
    const drawn = 0.64 * variance;
    expect(full.sampling!.variance).toBeCloseTo(drawn + open, 15);
    expect(full.sampling!.degrees).toBeCloseTo((drawn + open) ** 2 / (drawn ** 2 / degrees + open ** 2 / 38), 8);
  });

  test("with nothing left to the draw that is what is open, of all the answers", () => {
    const { sampling } = fullScoreEstimate(estimateOf(1), line);
    expect(sampling).toMatchObject({ answers: 4, right: 3, degrees: 38 });
    expect(sampling!.variance).toBeCloseTo(openVariance(line, 0.72).variance, 15);
  });

  test("anchors that weren't drawn have no variance", () => {
    expect(fullScoreEstimate({ ...estimate, sampling: null }, line).sampling).toBeNull();
  });
});

test("scores stay in [0,1]", () => {
  expect(fullScoreAt({ ...line, slope: 3 }, 1)).toBe(1);
  expect(fullScoreAt({ ...line, slope: 3 }, 0)).toBe(0);
});
