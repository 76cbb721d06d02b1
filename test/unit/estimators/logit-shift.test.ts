import { commonShift, leapOf, logitShift, recalibratedMean } from "anchoreval/internal/core/estimators/logit-shift";
import { describe, expect, test } from "vitest";
import { stateOf } from "../../support/state-of.ts";

const base = { "anchor-mean": 0.6, "p-irt": 0.5, "p-irt-dr": 0.7, gaussian: 0.55, "ridge-gap": 0.45, aipw: 0.65 };
const bounds = { low: 0.1, high: 0.9 };

/** All items' predictions, of which the first two are answered. */
function state(scores: readonly number[]) {
  const predicted = Float64Array.of(0.5, 0.8, 0.9, 0.2);
  const items = Uint32Array.of(0, 1);
  const mass = Float64Array.of(0.9, 0.1); // an answer counts by its information, whatever it stands for
  const sample = { items, positions: items, scores: Float64Array.from(scores), mass, inclusion: null, share: 1 };
  return stateOf(Float64Array.of(0.1, 0.2, 0.3, 0.4), predicted, sample);
}

describe("logitShift", () => {
  test("is one step of the likelihood, its information, and what a logit moves the other items by", () => {
    const { step, information, spread } = logitShift(state([1, 0]));
    expect(information).toBeCloseTo(0.25 + 0.16, 15);
    expect(step).toBeCloseTo((0.5 - 0.8) / 0.41, 15);
    expect(spread).toBeCloseTo(0.3 * 0.09 + 0.4 * 0.16, 15);
  });

  test("finds a small shift of the logits, from answers as likely as it makes them", () => {
    const shifted = (p: number): number => 1 / (1 + Math.exp(-Math.log(p / (1 - p)) - 1e-3));
    expect(logitShift(state([shifted(0.5), shifted(0.8)])).step).toBeCloseTo(1e-3, 6);
  });

  test("is none where every answer was certain", () => {
    const { sample, ...rest } = state([1, 1]);
    const certain = { ...rest, sample, predicted: Float64Array.of(1, 1) };
    expect(logitShift(certain)).toMatchObject({ step: 0, information: 0 });
    const nearly = { ...rest, sample, predicted: Float64Array.of(5e-324, 5e-324) };
    const shift = logitShift(nearly);
    expect(shift.step).toBeLessThan(1e13);
    expect(recalibratedMean({ base, bounds, shift }, null)).toBeCloseTo(0.5, 12);
  });
});

test("leapOf counts widths of the range, on either side of it", () => {
  expect(leapOf(0.9, { worst: 0.2, best: 0.4 })).toBeCloseTo(2.5, 14);
  expect(leapOf(0.1, { worst: 0.2, best: 0.4 })).toBeCloseTo(0.5, 14);
  expect(leapOf(0.3, { worst: 0.2, best: 0.4 })).toBeCloseTo(-0.5, 14);
  expect(leapOf(0.3, { worst: 0.3, best: 0.3 })).toBe(0);
});

describe("recalibratedMean", () => {
  const mean = (step: number, information: number, common: number | null = null): number =>
    recalibratedMean({ base, bounds, shift: { step, information, spread: 0.1 } }, common);

  test("is the formula, by hand", () => {
    expect(mean(1, 5)).toBeCloseTo(0.5 + (0.1 * 5) / (5 + 4 / (3 * 0.75 ** 2 + 1)), 15);
    const own = (0.7 * 5) / (5 + 4 / (3 / 16 + 0.49));
    expect(mean(1, 5, 0.3)).toBeCloseTo(0.5 + 0.1 * (0.3 + own), 15);
  });

  test("is p-irt without an answer that tells anything, and nearly the whole shift where they tell all", () => {
    expect(mean(3, 0)).toBe(0.5);
    expect(mean(1, 1e9)).toBeCloseTo(0.6, 8);
    expect(mean(0, 50)).toBe(0.5);
  });

  test("a far shift is shrunk by a smaller share than a near one, and alike to either side", () => {
    const kept = (step: number): number => (mean(step, 2) - 0.5) / (0.1 * step);
    expect(kept(2)).toBeGreaterThan(kept(0.5));
    expect(kept(-2)).toBeCloseTo(kept(2), 14);
  });

  test("stays within what the answers prove", () => expect(mean(50, 100)).toBe(0.9));
});

describe("commonShift", () => {
  const of = (step: number, information: number) => ({ step, information, spread: 0.1 });

  test("weighs scenarios by what they tell of it beside their own", () => {
    const [w, v] = [2 / (2 / 16 + 1), 8 / (8 / 16 + 1)];
    const step = (w * 1 + v * 0.25) / (w + v);
    const shrunk = (scale: number) => (step * (w + v)) / (w + v + 4 / (3 * scale ** 2 + step ** 2));
    const both = [of(1, 2), of(0.25, 8)];
    expect(commonShift(both, 0.9)).toBeCloseTo(shrunk(0.75), 15);
    expect(commonShift(both, 2)).toBeCloseTo(shrunk(1.5), 15);
  });

  test("of nothing it is nothing", () => {
    expect(commonShift([], 0)).toBe(0);
    expect(commonShift([of(0, 0)], 0)).toBe(0);
  });
});
