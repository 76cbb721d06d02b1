import { collapsedDegrees, NO_SAMPLING, shrunkSampling } from "../../../sdk/core/inference/sampling-variance.ts";
import type { SampledScore } from "../../../sdk/core/inference/score-interval.ts";
import {
  NO_PAIRED_SAMPLING,
  type SampledDifference,
  shrunkPaired,
} from "../../../sdk/core/inference/paired-difference.ts";
import { partRange, type Population } from "./population.ts";
import { runningTotal, type RunningSums } from "./running-total.ts";
import type { AdaptiveState } from "./state.ts";

/**
 * Running score of one model and its sampling variance: the mean of the batches' totals, the variance shrunk toward the
 * one without a model as in `samplingVariance`. Brought into what the answers prove; exact with all items answered.
 * @param part - 0 for the whole score, s + 1 for scenario s of several
 * @returns null before the first answer
 */
export function stateScore(population: Population, state: AdaptiveState, model: number, part = 0): SampledScore | null {
  const { scores, sums } = state.models[model]!;
  const { begin, end } = partRange(population, part);
  const weight = part === 0 ? 1 : population.weights.subarray(begin, end).reduce((sum, mass) => sum + mass, 0);
  let low = 0;
  let high = 1;
  let answers = 0;
  let right = 0;
  for (const [j, i] of state.asked.entries()) {
    const score = scores[j] ?? null;
    if (score === null || i < begin || i >= end) continue;
    low += (population.weights[i]! * score) / weight;
    high -= (population.weights[i]! * (1 - score)) / weight;
    answers++;
    right += score;
  }
  const running = sums[part]!;
  if (answers === 0 || running.weight === 0) return null;
  if (answers === end - begin)
    return { score: low, bounds: { low, high: low }, sampling: { ...NO_SAMPLING, answers, right } };
  const { total, sampling, unit } = runningTotal(scaled(running, weight));
  const score = Math.min(high, Math.max(low, total));
  // A scenario's variance isn't known better than its own answers tell.
  const degrees = Math.min(sampling.degrees, answers < 2 ? 1 : collapsedDegrees(answers));
  const { variance } = sampling;
  return {
    score,
    bounds: { low, high },
    sampling: shrunkSampling(score, { variance, degrees }, unit, { answers, right }),
  };
}

/**
 * Running difference S_B − S_A of two models and its sampling variance, shrunk as in `pairedSampling`.
 * @returns null before the first item that both answered
 */
export function stateDifference(population: Population, state: AdaptiveState): SampledDifference | null {
  const { asked, models, difference: sums } = state;
  const [a, b] = models.map(({ scores }) => scores) as [readonly (number | null)[], readonly (number | null)[]];
  let [low, high] = [-1, 1];
  const both: number[] = [];
  asked.forEach((i, j) => {
    const weight = population.weights[i]!;
    low += weight * ((b[j] ?? 0) + (a[j] === null ? 0 : 1 - a[j]!));
    high -= weight * ((b[j] === null ? 0 : 1 - b[j]!) + (a[j] ?? 0));
    if (a[j] !== null && b[j] !== null) both.push(j);
  });
  if (sums === null || both.length === 0 || sums.weight === 0) return null;
  if (both.length === population.count) {
    // Not from the bounds: equal answers make a difference of 0, not of what rounding leaves.
    const exact = both.reduce((sum, j) => sum + population.weights[asked[j]!]! * (b[j]! - a[j]!), 0);
    return { difference: exact, bounds: { low: exact, high: exact }, sampling: NO_PAIRED_SAMPLING };
  }
  const { total, sampling, unit } = runningTotal(sums);
  const difference = Math.min(high, Math.max(low, total));
  const scores = { a: both.map((j) => a[j]!), b: both.map((j) => b[j]!) };
  return { difference, bounds: { low, high }, sampling: shrunkPaired(difference, sampling, unit, scores) };
}

/** A scenario's part of the score on the scenario's own scale. */
function scaled(sums: RunningSums, weight: number): RunningSums {
  return {
    ...sums,
    total: sums.total / weight,
    variance: sums.variance / weight ** 2,
    spread: sums.spread / weight ** 4,
    unit: sums.unit / weight ** 2,
  };
}
