import { batchSize } from "anchoreval/internal/features/adaptive/sdk/adaptive-session";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { drawNext, emptyState, takeAnswers } from "anchoreval/internal/features/adaptive/core/state";
import { describe, expect, test } from "vitest";
import { expectedExposure } from "../../../../../features/adaptive/fit/replay-model.ts";
import type { Population } from "anchoreval/internal/features/adaptive/core/population";
import { simulatedAnswers, simulatedPopulation } from "../core/simulated-population.ts";

const open = simulatedPopulation();
const plan = { budget: 42, batch: 8 }; // mean share .35
const models = (count: number, group: string): Float64Array[] => {
  const random = createRandom(group);
  return Array.from({ length: count }, (_, m) => simulatedAnswers(open, random.normal(), `${group} ${m}`));
};
const sources = models(40, "sources");

/** What one evaluation for the score, as a Worker's, asked. */
function asked(population: Population, answers: Float64Array, seed: string): readonly number[] {
  const random = createRandom(seed);
  let state = emptyState(population, 1);
  for (let batch = 0; state.asked.length < plan.budget; batch++) {
    const size = batchSize(plan, state.asked.length);
    state = drawNext(population, state, size, random.fork(`batch ${batch}`));
    state = takeAnswers(population, state, [state.pending!.items.map((i) => answers[i]!)]);
  }
  return state.asked;
}

/** How often each item was given in evaluations of models in turn. */
function given(population: Population, of: readonly Float64Array[], evaluations: number): Uint32Array {
  const counts = new Uint32Array(population.count);
  for (let k = 0; k < evaluations; k++)
    for (const i of asked(population, of[k % of.length]!, `given ${k}`)) counts[i] = counts[i]! + 1;
  return counts;
}

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
