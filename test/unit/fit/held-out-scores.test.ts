import { BASE_ESTIMATORS, type Blend } from "anchoreval/internal/core/estimators/types";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  errorQuantile,
  heldOutScore,
  holdsTruth,
  winklerScore,
} from "../../../offline-trainer/src/fit/held-out-scores.ts";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { blendAt, drawnEstimates, rowsOf } from "./held-out-estimates.ts";

const random = createRandom("held-out score");
const blend = ({ model }: HeldOutEstimate): Blend => blendAt((model % 3) / 4);

describe("heldOutScore", () => {
  const [estimate] = drawnEstimates(random, { models: [0] }) as [HeldOutEstimate];
  const { base } = estimate;

  test("is the estimator's own score, and the blend for gp-irt", () => {
    for (const id of BASE_ESTIMATORS) expect(heldOutScore(estimate, id, blendAt(0.3))).toBe(base[id]);
    expect(heldOutScore(estimate, "gp-irt", blendAt(0.3))).toBeCloseTo(
      0.3 * base["anchor-mean"] + 0.7 * base["p-irt"],
      14,
    );
  });

  test("keeps the blend inside what the answers prove", () => {
    const blended = heldOutScore(estimate, "gp-irt", blendAt(0.5));
    const above = { ...estimate, bounds: { low: blended + 0.1, high: 1 } };
    const below = { ...estimate, bounds: { low: 0, high: blended - 0.1 } };
    expect(heldOutScore(above, "gp-irt", blendAt(0.5))).toBe(blended + 0.1);
    expect(heldOutScore(below, "gp-irt", blendAt(0.5))).toBe(blended - 0.1);
  });
});

describe("errorQuantile", () => {
  /** [level, numerator, denominator]: ranks are counted in whole numbers here. */
  const LEVELS = [
    [0.5, 1, 2],
    [0.8, 4, 5],
    [0.9, 9, 10],
    [0.95, 19, 20],
    [0.99, 99, 100],
  ] as const;

  /** The least error that at least (M+1)·level of the M models stay within; null where there is none. */
  function naive(estimates: readonly HeldOutEstimate[], above: number, below: number): number | null {
    const draws = [...new Set(estimates.map(({ draw }) => draw))];
    const own = draws.map((draw) => {
      const errors = estimates
        .filter((estimate) => estimate.draw === draw)
        .map((estimate) => Math.abs(heldOutScore(estimate, "gp-irt", blend(estimate)) - estimate.truth));
      const enough = errors.filter(
        (error) => errors.filter((other) => other <= error).length * below >= (errors.length + 1) * above,
      );
      return enough.length > 0 ? Math.min(...enough) : null;
    });
    if (own.some((error) => error === null) || own.length === 0) return null;
    return own.reduce<number>((sum, error) => sum + error!, 0) / own.length;
  }

  test.each(LEVELS)("level %d is the naive one, whatever the models and the draws", (level, above, below) => {
    const nulls: number[] = [];
    for (const count of [1, 3, 4, 9, 10, 18, 19, 20, 39, 40, 99, 100, 139])
      for (const draws of [1, 3]) {
        const estimates = random.shuffle(drawnEstimates(random, { models: rowsOf(count), draws }));
        const expected = naive(estimates, above, below);
        const actual = errorQuantile(estimates, "gp-irt", blend, level);
        if (expected === null) nulls.push(count);
        if (expected === null || actual === null) expect({ count, actual }).toEqual({ count, actual: expected });
        else expect(actual).toBeCloseTo(expected, 14);
      }
    // ⌈(M+1)·level⌉ ≤ M, from level/(1−level) models on.
    const least = above / (below - above);
    expect(new Set(nulls)).toEqual(new Set([1, 3, 4, 9, 10, 18, 19, 20, 39, 40].filter((count) => count < least)));
  });

  test("covers a new model like the others at least as often as promised", () => {
    const repeats = 2000;
    let covered = 0;
    for (let repeat = 0; repeat < repeats; repeat++) {
      const [fresh, ...seen] = drawnEstimates(random, { models: rowsOf(31) }) as [HeldOutEstimate];
      const error = errorQuantile(seen, "p-irt", blend, 0.9)!;
      if (Math.abs(fresh.base["p-irt"] - fresh.truth) <= error) covered++;
    }
    // Exactly 28/31 = 0.903 of the time; five standard errors are 0.033.
    expect(Math.abs(covered / repeats - 28 / 31)).toBeLessThan(0.033);
  });

  test("does not change the estimates, and is null without any", () => {
    const estimates = drawnEstimates(random, { models: rowsOf(25), draws: 2 });
    const copy = structuredClone(estimates);
    errorQuantile(estimates, "p-irt", blend, 0.9);
    expect(estimates).toEqual(copy);
    expect(errorQuantile([], "p-irt", blend, 0.5)).toBeNull();
  });
});

describe("holdsTruth", () => {
  test.each([
    [0.4, true],
    [0.6, true],
    [0.4 - 1e-13, true],
    [0.6 + 1e-13, true],
    [0.4 - 1e-9, false],
    [0.6 + 1e-9, false],
  ])("from .4 to .6, truth %d: %s", (truth, held) => {
    expect(holdsTruth({ low: 0.4, high: 0.6 }, truth)).toBe(held);
  });
});

describe("winklerScore", () => {
  test.each([
    [0.5, 0.95, 0.2],
    [0.35, 0.95, 0.2 + 40 * 0.05],
    [0.65, 0.95, 0.2 + 40 * 0.05],
    [0.65, 0.8, 0.2 + 10 * 0.05],
  ])("from .4 to .6, truth %d at level %d: %d", (truth, level, score) => {
    expect(winklerScore({ low: 0.4, high: 0.6 }, truth, level)).toBeCloseTo(score, 12);
  });

  test("is least, on average, for the quantiles: narrower and wider ones are worse", () => {
    const random = createRandom("winkler");
    const truths = Array.from({ length: 20_000 }, () => random.next());
    const average = (low: number, high: number): number =>
      truths.reduce((sum, truth) => sum + winklerScore({ low, high }, truth, 0.8), 0) / truths.length;
    const best = average(0.1, 0.9);
    for (const [low, high] of [
      [0.05, 0.95],
      [0.15, 0.85],
      [0.05, 0.85],
      [0, 1],
    ] as const)
      expect(average(low, high)).toBeGreaterThan(best + 0.005);
  });
});
