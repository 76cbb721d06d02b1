import {
  blendEstimates,
  outsideEstimate,
  overallPlace,
  partlyCorrectedMean,
} from "anchoreval/internal/core/estimators/blend-estimates";
import { normalCdf } from "anchoreval/internal/core/numeric/distributions";
import { describe, expect, test } from "vitest";

const base = { "anchor-mean": 0.6, "p-irt": 0.5, "p-irt-dr": 0.7, gaussian: 0.55, "ridge-gap": 0.45, aipw: 0.65 };
const blend = {
  lambda: 0.25,
  stack: { "anchor-mean": 0.1, "p-irt": 0.2, "p-irt-dr": 0.2, gaussian: 0.3, "ridge-gap": 0.15, aipw: 0.05 },
  rmse: 0.05,
  overallRmse: null,
  tightening: { inside: 1, outside: 1 },
};
const shift = { step: 0, information: 10, spread: 0.2 };
const estimate = { base, bounds: { low: 0, high: 1 }, shift, unlike: 0, sampling: null };
const stack = 0.1 * 0.6 + 0.2 * 0.5 + 0.2 * 0.7 + 0.3 * 0.55 + 0.15 * 0.45 + 0.05 * 0.65;
/** What places the model. */
const corrected = 0.5 * 0.7 + 0.5 * 0.5;
const gpIrt = 0.25 * 0.6 + 0.75 * 0.5;
/** r: answers as predicted leave p-irt as it is. */
const recalibrated = 0.5;

describe("blendEstimates", () => {
  test("is the formulas, by hand", () => {
    expect(partlyCorrectedMean(base)).toBeCloseTo(corrected, 15);
    const { estimators, outside, share, gap, beyond } = blendEstimates(estimate, blend, {
      worst: 0.1,
      best: 0.68,
      overall: null,
    });
    expect(outside.above).toBeCloseTo(normalCdf((corrected - 0.68) / 0.05), 15);
    expect(outside.below).toBeCloseTo(normalCdf((0.1 - corrected) / 0.05), 15);
    const half = 0.025; // half an error inside the range
    expect(share).toBeCloseTo(
      normalCdf((corrected - 0.68 + half) / 0.05) + normalCdf((0.1 + half - corrected) / 0.05),
      15,
    );
    expect(estimators).toMatchObject(base);
    expect(gap).toBeCloseTo(Math.abs(stack - recalibrated), 15);
    expect(beyond.score).toBeCloseTo(recalibrated, 15);
    expect([beyond.weight, beyond.difference]).toEqual([1, recalibrated - 0.65]);
    expect(estimators["gp-irt"]).toBeCloseTo(gpIrt, 15);
    expect(estimators.stack).toBeCloseTo(stack, 15);
    expect(estimators.gate).toBeCloseTo((1 - share) * stack + share * recalibrated, 15);
  });

  test("trusts the stack well inside the range, and the recalibrated mean well outside of it", () => {
    const gate = (worst: number, best: number): number =>
      blendEstimates(estimate, blend, { worst, best, overall: null }).estimators.gate;
    expect(gate(0, 1)).toBeCloseTo(stack, 10);
    expect(gate(0, 0.36)).toBeCloseTo(recalibrated, 5);
    expect(gate(0.9, 1.5)).toBeCloseTo(recalibrated, 9);
  });

  test("a leap of more than the sources' range lets the logits shift further, alone by its place, together by that over all", () => {
    const shifted = { ...estimate, shift: { step: 1, information: 2, spread: 0.2 } };
    const outside = (best: number, worst = 0) => outsideEstimate(shifted, { worst, best, overall: null }).score;
    const shrunk = (scale: number) => recalibrated + (0.2 * 2) / (2 + 4 / (3 * scale ** 2 + 1));
    expect(outside(0.3)).toBeCloseTo(shrunk(0.75), 14); // it lies one width beyond
    expect(outside(0.55)).toBeCloseTo(shrunk(0.75), 14);
    expect(outside(0.2)).toBeCloseTo(shrunk(1.5), 14);
    expect(outside(1.2, 1)).toBeCloseTo(shrunk(1.5), 14); // below the range
    expect(outside(corrected, corrected)).toBeCloseTo(shrunk(0.75), 14); // one source score: no width, and no leap
    const part = { ...shifted, share: 1 };
    expect(overallPlace({ worst: 0, best: 0.2 }, [part]).shift).toBeCloseTo(
      (1 * 1.778) / (1.778 + 4 / (3 * 1.5 ** 2 + 1)),
      3,
    );
  });

  test("what the draw doesn't explain of their difference leaves the response model less to say", () => {
    const drawn = (unit: number) => ({ ...estimate, sampling: { answers: 18, unit } });
    const outside = (unit: number) => outsideEstimate(drawn(unit), { worst: 0, best: 0.65, overall: null });
    const difference = recalibrated - 0.65;
    const rate = (18 * 0.7 + 1) / 20;
    const enough = difference ** 2 / (4 * rate * (1 - rate));
    expect(outside(1.01 * enough).weight).toBe(1);
    expect(outside(enough / 3).weight).toBeCloseTo(1 / 3, 14);
    expect(outside(enough / 3).score).toBeCloseTo(0.65 + (1 / 3) * difference, 14);
  });

  test("stronger models that were held out say what the recalibrated mean is worth", () => {
    const drawn = { ...estimate, sampling: { answers: 18, unit: 0.001 } };
    const seen = { worst: 0, best: 0.65, overall: null };
    const whole = outsideEstimate(drawn, seen);
    expect(whole.weight).toBeLessThan(1);
    for (const worth of [0, 0.25, 1]) {
      const { score, weight, difference } = outsideEstimate(drawn, seen, worth);
      expect(weight).toBeCloseTo(worth * whole.weight, 15);
      expect(score).toBeCloseTo(0.65 + weight * difference, 15);
    }
    const served = { ...blend, recalibration: 0.25 };
    expect(blendEstimates(drawn, served, seen).beyond).toEqual(outsideEstimate(drawn, seen, 0.25));
    expect(blendEstimates(drawn, blend, seen).beyond).toEqual(whole); // of an older bundle
  });

  test("what the recalibrated means lag behind in all scenarios doesn't count", () => {
    const overall = { score: 0.6, worst: 0, best: 0.65, shift: 0, unlike: 0.2, lag: -0.08 };
    const { score, weight, difference } = outsideEstimate(estimate, { worst: 0, best: 0.65, overall });
    expect(difference).toBeCloseTo(recalibrated + 0.08 - 0.65, 15);
    expect(weight).toBe(1);
    expect(score).toBeCloseTo(recalibrated + 0.08, 15);
  });

  test("a range of one point, far narrower than the error, is nowhere inside: the gate stays between its two sides", () => {
    const wide = { ...blend, rmse: 10 };
    const { gate } = blendEstimates(estimate, wide, { worst: corrected, best: corrected, overall: null }).estimators;
    expect(gate).toBeCloseTo(recalibrated, 12);
  });

  test("turns to the recalibrated mean where the model lies outside the range over all scenarios", () => {
    const linked = { ...blend, overallRmse: 0.02 };
    const place = (score: number) => ({
      worst: 0.1,
      best: 0.9,
      overall: { score, worst: 0.2, best: 0.6, shift: 0, unlike: 0.2, lag: 0 },
    });
    const here = blendEstimates(estimate, blend, { worst: 0.1, best: 0.9, overall: null });
    const inside = blendEstimates(estimate, linked, place(0.4));
    expect(inside.outside).toEqual(here.outside);
    expect(inside.share).toBeLessThan(1e-9);
    const edge = blendEstimates(estimate, linked, place(0.59));
    const share = normalCdf((0.59 - 0.6) / 0.02 + 0.5) + normalCdf((0.2 - 0.59) / 0.02 + 0.5);
    expect(edge.share).toBeCloseTo(share, 15);
    expect(edge.outside.above).toBeCloseTo(normalCdf(-0.5), 15);
    expect(edge.estimators.gate).toBeCloseTo((1 - share) * stack + share * recalibrated, 15);
    for (const score of [0.05, 0.75])
      expect(blendEstimates(estimate, linked, place(score)).estimators.gate).toBeCloseTo(recalibrated, 12);
    // By itself this scenario counts from two errors beyond its range on; whether the model is outside is told without them.
    const beyond = (errors: number) =>
      blendEstimates(estimate, linked, { ...place(0.4), best: corrected - errors * 0.05 });
    expect(beyond(2).share).toBeCloseTo(0.5, 6);
    expect(beyond(0.5).share).toBeCloseTo(normalCdf(-1.5), 6);
    expect(beyond(0.5).outside.above).toBeCloseTo(normalCdf(0.5), 15);
    // Without an error to weigh it by, a place over all scenarios says nothing.
    expect(blendEstimates(estimate, blend, place(0.75))).toEqual(here);
  });

  test("keeps the blends inside what the answers prove", () => {
    const { estimators } = blendEstimates({ ...estimate, bounds: { low: 0.61, high: 0.62 } }, blend, {
      worst: 0,
      best: 1,
      overall: null,
    });
    for (const id of ["gp-irt", "stack", "gate"] as const) expect(estimators[id]).toBe(0.61);
  });
});

describe("overallPlace", () => {
  const seen = { worst: 0.1, best: 0.5 };
  const part = (share: number, unit: number | null) => ({
    ...estimate,
    share,
    sampling: unit === null ? null : { answers: 9, unit },
  });

  test("is the weighted mean, and its lag what the pooled draw leaves unexplained, by how far it leaps", () => {
    const { score, shift: common, unlike, lag, ...range } = overallPlace(seen, [part(0.25, 0.01), part(0.75, 0.02)]);
    expect(range).toEqual(seen);
    expect(unlike).toBeCloseTo(0.2, 15); // as before any answer
    expect(common).toBe(0);
    expect(score).toBeCloseTo(corrected, 15);
    const rate = (18 * 0.7 + 1) / 20; // of both scenarios' 18 answers
    const explained = 4 * rate * (1 - rate) * (0.0625 * 0.01 + 0.5625 * 0.02);
    const difference = 0.5 - 0.65;
    expect(explained).toBeLessThan(difference ** 2);
    const whole = difference * (1 - explained / difference ** 2);
    expect(lag).toBeCloseTo(((corrected - 0.5) / 0.4) * whole, 15);
    const of = (worst: number, best: number) => overallPlace({ worst, best }, [part(0.25, 0.01), part(0.75, 0.02)]).lag;
    expect(of(0.1, 0.3)).toBeCloseTo(whole, 15); // it leaps further than the range is wide
    expect(of(0.1, 0.7)).toBe(-0);
  });

  test("without a draw, or within two standard errors, there is no lag", () => {
    expect(overallPlace(seen, [part(0.5, 0.01), part(0.5, null)]).lag).toBe(-0);
    expect(overallPlace(seen, [part(0.5, 0.1), part(0.5, 0.1)]).lag).toBe(-0);
  });
});
