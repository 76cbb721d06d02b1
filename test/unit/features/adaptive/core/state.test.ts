import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  type AdaptiveState,
  drawNext,
  emptyState,
  takeAnswers,
  stateDifference,
  stateScore,
} from "anchoreval/internal/features/adaptive/core/state";
import type { Population } from "anchoreval/internal/features/adaptive/core/population";
import { runningTotal } from "anchoreval/internal/features/adaptive/core/running-total";
import { designInterval } from "anchoreval/internal/core/inference/score-interval";
import { pairedInterval } from "anchoreval/internal/core/inference/paired-difference";
import { simulatedAnswers, simulatedPopulation, trueScore } from "./simulated-population.ts";
import { WHOLE } from "../../../../support/whole.ts";

const RUNS = 400;
const population = simulatedPopulation();

/** Asks `batches` batches of 8, fewer where it is enough. @param left - items that get no answer */
function run(
  of: Population,
  answers: readonly Float64Array[],
  batches: number,
  seed: string,
  left: ReadonlySet<number> = new Set(),
  enough: (state: AdaptiveState) => boolean = () => false,
): AdaptiveState {
  const random = createRandom(seed);
  let state = emptyState(of, answers.length as 1 | 2);
  for (let b = 0; b < batches && !enough(state); b++) {
    state = drawNext(of, state, 8, random.fork(String(b)));
    if (state.pending === null) break;
    const { items } = state.pending;
    state = takeAnswers(
      of,
      state,
      answers.map((own) => Float64Array.from(items, (i) => (left.has(i) ? NaN : own[i]!))),
    );
  }
  return state;
}

function mean(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
}

/** Mean of some figures with its standard error. */
function deviation(values: readonly number[]): { mean: number; error: number } {
  const own = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - own) ** 2, 0);
  return { mean: own, error: Math.sqrt(squares / (values.length - 1) / values.length) };
}

/** The same of one figure of every run. */
function over(figure: (seed: string) => number): { mean: number; error: number } {
  return deviation(Array.from({ length: RUNS }, (_, r) => figure(`run ${r}`)));
}

test("factors of the items' probabilities leave the score unbiased, and its interval what it says", () => {
  const factors = Float64Array.from({ length: population.count }, (_, i) => (i % 3 === 0 ? 0.25 : 1));
  const tilted = { ...population, factors };
  const answers = simulatedAnswers(population, 0.3, "tilted");
  const truth = trueScore(population, answers);
  const runs = Array.from({ length: RUNS }, (_, r) => stateScore(tilted, run(tilted, [answers], 4, `tilted ${r}`), 0)!);
  const { mean: error, error: noise } = deviation(runs.map(({ score }) => score - truth));
  expect(Math.abs(error)).toBeLessThan(4 * noise);
  const held = runs.filter((own) => {
    const { low, high } = designInterval(own, 0.95);
    return low <= truth && truth <= high;
  });
  expect(held.length / RUNS).toBeGreaterThan(0.925);
});

describe.each([
  ["a model as those seen", simulatedAnswers(population, 0.3, "middle")],
  ["a stronger one", simulatedAnswers(population, 2.5, "strong")],
  ["graded scores", simulatedAnswers(population, -0.5, "graded", true)],
  // The response model is wrong about every item: what it finds easy is failed.
  ["a model that no response model fits", simulatedAnswers(population, 0, "odd").map((y) => 1 - y)],
])("%s", (_, answers) => {
  const truth = trueScore(population, answers);

  test("its running score is unbiased, of the whole and of each scenario", () => {
    const runs = Array.from({ length: RUNS }, (__, r) => run(population, [answers], 3, `run ${r}`).models[0]!.sums);
    const own = [truth, mean(answers.subarray(0, 40)) / 2, mean(answers.subarray(40)) / 2];
    own.forEach((expected, part) => {
      const found = deviation(runs.map((sums) => runningTotal(sums[part]!).total));
      expect(Math.abs(found.mean - expected)).toBeLessThan(4 * found.error);
    });
  });

  test("its intervals cover it", () => {
    let covered = 0;
    for (let r = 0; r < RUNS; r++) {
      const found = stateScore(population, run(population, [answers], 4, `cover ${r}`), 0)!;
      const { low, high } = designInterval(found, 0.95);
      if (low <= truth && truth <= high) covered++;
    }
    expect(covered / RUNS).toBeGreaterThan(0.925);
  });

  test.each(WHOLE ? [0.06, 0.12] : [0.06])(
    "its intervals cover it where they stop it for being ± %d, at the plain level",
    (half) => {
      const interval = (state: AdaptiveState) => designInterval(stateScore(population, state, 0)!, 0.95);
      const narrow = (state: AdaptiveState): boolean => {
        if (state.asked.length < 20) return false;
        const { low, high } = interval(state);
        return (high - low) / 2 <= half;
      };
      let covered = 0;
      let early = 0;
      for (let r = 0; r < RUNS; r++) {
        const state = run(population, [answers], 15, `narrow ${r}`, new Set(), narrow);
        const { low, high } = interval(state);
        if (low - 1e-9 <= truth && truth <= high + 1e-9) covered++;
        if (state.asked.length < population.count) early++;
      }
      expect(covered / RUNS).toBeGreaterThan(0.925);
      expect(early).toBeGreaterThan(RUNS / 2);
    },
  );

  test("with everything asked it is the score", () => {
    const found = stateScore(population, run(population, [answers], 15, "all"), 0)!;
    expect(found.score).toBeCloseTo(truth, 12);
    expect(found.sampling.variance).toBe(0);
    for (const part of [1, 2]) {
      const own = mean(part === 1 ? answers.subarray(0, 40) : answers.subarray(40));
      expect(stateScore(population, run(population, [answers], 15, "all"), 0, part)!.score).toBeCloseTo(own, 12);
    }
  });
});

describe("two models", () => {
  const a = simulatedAnswers(population, 0, "a");
  const b = simulatedAnswers(population, 0.8, "b");
  const truth = trueScore(population, b) - trueScore(population, a);

  test("their difference is unbiased, and what each one's score is apart from the other's", () => {
    const found = over((seed) => runningTotal(run(population, [a, b], 3, seed).difference!).total);
    expect(Math.abs(found.mean - truth)).toBeLessThan(4 * found.error);
    const state = run(population, [a, b], 3, "one");
    const [first, second] = state.models.map(({ sums }) => runningTotal(sums[0]!).total);
    expect(runningTotal(state.difference!).total).toBeCloseTo(second! - first!, 12);
  });

  test("its intervals cover it; with everything asked it is exact", () => {
    let covered = 0;
    for (let r = 0; r < RUNS; r++) {
      const { low, high } = pairedInterval(stateDifference(population, run(population, [a, b], 4, `pair ${r}`))!, 0.95);
      if (low <= truth && truth <= high) covered++;
    }
    expect(covered / RUNS).toBeGreaterThan(0.925);
    const all = stateDifference(population, run(population, [a, b], 15, "all"))!;
    expect(all.difference).toBeCloseTo(truth, 12);
    expect(all.sampling.variance).toBe(0);
  });

  test("an item that one of them left out counts for neither in the difference", () => {
    const left = new Set(Array.from({ length: 30 }, (_, i) => 4 * i));
    const state = run(population, [a, b], 15, "gaps", left);
    const found = stateDifference(population, state)!;
    expect(found.bounds.high - found.bounds.low).toBeGreaterThan(0.3);
    expect(found.sampling.variance).toBeGreaterThan(0);
  });
});

test("answers that are missing at random leave the score where it is, and its interval wider", () => {
  const answers = simulatedAnswers(population, 0.3, "middle");
  const truth = trueScore(population, answers);
  const missing = createRandom("missing");
  const found = over((seed) => {
    const left = new Set(Array.from({ length: 120 }, (_, i) => i).filter(() => missing.next() < 0.2));
    return stateScore(population, run(population, [answers], 4, seed, left), 0)!.score;
  });
  expect(Math.abs(found.mean - truth)).toBeLessThan(0.012);
});

test("a whole batch without an answer changes nothing", () => {
  const answers = simulatedAnswers(population, 0.3, "middle");
  const state = run(population, [answers], 2, "before");
  const drawn = drawNext(population, state, 8, createRandom("next"));
  const after = takeAnswers(population, drawn, [new Float64Array(8).fill(NaN)]);
  expect(stateScore(population, after, 0)).toEqual(stateScore(population, state, 0));
  expect(after.asked).toHaveLength(24);
});

test("nothing is known before the first answer", () => {
  expect(stateScore(population, emptyState(population, 1), 0)).toBeNull();
  expect(stateDifference(population, emptyState(population, 2))).toBeNull();
});
