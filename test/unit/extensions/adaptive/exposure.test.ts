import { batchSize } from "anchoreval/internal/adaptive/adaptive-session";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { drawNext, emptyState, takeAnswers } from "../../../../sdk/core/adaptive/state.ts";
import { stateScore } from "../../../../sdk/core/adaptive/state-scores.ts";
import { beforeAll, describe, expect, test } from "vitest";
import {
  checkLimit,
  expectedExposure,
  type LimitedExposure,
  limitExposure,
} from "../../../../offline-trainer/src/extensions/adaptive/exposure.ts";
import type { Population } from "../../../../sdk/core/adaptive/population.ts";
import { designInterval } from "../../../../sdk/core/inference/score-interval.ts";
import { expectRefusal, refusal } from "../../../support/refusal.ts";
import { simulatedAnswers, simulatedPopulation, trueScore } from "../../adaptive/simulated-population.ts";

const open = simulatedPopulation();
const plan = { budget: 42, batch: 8 }; // mean share .35
const LIMIT = 0.4;
const models = (count: number, group: string): Float64Array[] => {
  const random = createRandom(group);
  return Array.from({ length: count }, (_, m) => simulatedAnswers(open, random.normal(), `${group} ${m}`));
};
const sources = models(40, "sources");

/** One evaluation for the score, as a Worker's: what it asked and where it ended. */
function evaluate(population: Population, answers: Float64Array, seed: string) {
  const random = createRandom(seed);
  let state = emptyState(population, 1);
  for (let batch = 0; state.asked.length < plan.budget; batch++) {
    const size = batchSize(plan, state.asked.length);
    state = drawNext(population, state, size, random.fork(`batch ${batch}`));
    state = takeAnswers(population, state, [state.pending!.items.map((i) => answers[i]!)]);
  }
  return { asked: state.asked, sampled: stateScore(population, state, 0)! };
}

/** How often each item was given in evaluations of models in turn. */
function given(population: Population, of: readonly Float64Array[], evaluations: number): Uint32Array {
  const counts = new Uint32Array(population.count);
  for (let k = 0; k < evaluations; k++)
    for (const i of evaluate(population, of[k % of.length]!, `given ${k}`).asked) counts[i] = counts[i]! + 1;
  return counts;
}

let found: LimitedExposure;
let limited: Population;
beforeAll(async () => {
  found = await limitExposure(open, plan, sources, { limit: LIMIT, random: createRandom("limits") });
  limited = { ...open, exposure: Float64Array.from(found.factors) };
});

describe("the expected exposure", () => {
  test("is the share of evaluations in which an item is drawn, and sums to the budget", () => {
    const shares = expectedExposure(open, plan, sources, 200, createRandom("expected"));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(plan.budget, 0);
    const runs = 800;
    const counts = given(open, sources, runs);
    const squares = shares.map((share, i) => (counts[i]! - runs * share) ** 2 / (runs * share * (1 - share)));
    expect(Math.max(...squares)).toBeLessThan(4.5 ** 2);
    // Each is at most 1 on average; three standard errors of the mean of 120 squares of normal deviates above that.
    expect(squares.reduce((sum, own) => sum + own, 0) / squares.length).toBeLessThan(1 + 3 * Math.sqrt(2 / 120));
  });

  test("of models without answers sums to the budget too: items are asked without them", () => {
    const shares = expectedExposure(open, plan, [new Float64Array(120).fill(NaN)], 40, createRandom("none"));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(plan.budget, 0);
  });
});

describe("exposure limits", () => {
  test("are kept where they bind, and take from the items that were given most", () => {
    expect(found.unlimited).toBeGreaterThan(1.15 * LIMIT);
    expect(found.reached).toBeLessThan(1.01 * LIMIT);
    expect(Math.max(...found.factors)).toBe(1);
    const shares = expectedExposure(open, plan, sources, 200, createRandom("open"));
    const cut = [...found.factors.keys()].filter((i) => found.factors[i]! < 0.9);
    const kept = [...found.factors.keys()].filter((i) => found.factors[i]! === 1);
    const mean = (of: number[]): number => of.reduce((sum, i) => sum + shares[i]!, 0) / of.length;
    expect(cut.length).toBeGreaterThan(5);
    expect(mean(cut)).toBeGreaterThan(mean(kept) + 0.05);
  });

  test("hold in other evaluations of other models, up to chance", () => {
    const counts = given(limited, models(60, "others"), 800);
    // Of 120 shares the largest lies some 2.6 standard errors above its own.
    expect(Math.max(...counts) / 800).toBeLessThan(LIMIT + 3.5 * Math.sqrt((LIMIT * (1 - LIMIT)) / 800));
  });

  test("leave the score unbiased, and its interval what it says", () => {
    const runs = 300;
    for (const [m, answers] of models(4, "judged").entries()) {
      const truth = trueScore(open, answers);
      let [sum, squares, held] = [0, 0, 0];
      for (let k = 0; k < runs; k++) {
        const { sampled } = evaluate(limited, answers, `judged ${m} ${k}`);
        const { low, high } = designInterval(sampled, 0.95);
        const error = sampled.score - truth;
        sum += error;
        squares += error * error;
        if (low <= truth && truth <= high) held++;
      }
      expect(Math.abs(sum / runs)).toBeLessThan(3 * Math.sqrt(squares / runs / runs));
      expect(held / runs).toBeGreaterThan(0.93);
    }
  });

  test("that nothing exceeds leave every probability as it was", async () => {
    const { factors, unlimited, reached } = await limitExposure(open, plan, sources, {
      limit: 0.9,
      random: createRandom("loose"),
    });
    expect(factors.every((factor) => factor === 1)).toBe(true);
    expect(Math.abs(unlimited - reached)).toBeLessThan(0.02);
    const as = { ...open, exposure: Float64Array.from(factors) };
    expect(evaluate(as, sources[0]!, "same").asked).toEqual(evaluate(open, sources[0]!, "same").asked);
  });

  test("are the same again with the same seed", async () => {
    const again = await limitExposure(open, plan, sources, { limit: LIMIT, random: createRandom("limits") });
    expect(again).toEqual(found);
  });

  test("below the mean share are refused with the least there is", () => {
    expect(() => checkLimit(0.35, 42, 120)).not.toThrow();
    expectRefusal(
      refusal(() => checkLimit(0.3, 42, 120)),
      "invalid_option",
      "Use at least 0.35",
    );
    expectRefusal(
      refusal(() => checkLimit(0.01, 10, 999)),
      "invalid_option",
      "Use at least 0.011",
    );
  });

  test("are given up when a signal says so", async () => {
    const options = { limit: LIMIT, random: createRandom(0), signal: AbortSignal.abort() };
    await expect(limitExposure(open, plan, sources, options)).rejects.toMatchObject({ code: "aborted" });
  });
});
