import type { SampledScore } from "../inference/design-interval.ts";
import { discordance } from "../inference/discordance.ts";
import type { SampledDifference } from "../inference/paired-interval.ts";
import { freeVariance, FREE_DEGREES, NO_PAIRED_SAMPLING } from "../inference/paired-sampling.ts";
import { BINOMIAL_DEGREES, bernoulliVariance, NO_SAMPLING } from "../inference/sampling-variance.ts";
import type { Population } from "./population.ts";
import { runningTotal, type RunningSums } from "./running-sums.ts";
import type { AdaptiveState } from "./state.ts";

/**
 * Running score of one model and its sampling variance: the mean of the batches' totals, the variance shrunk toward the
 * one without a model as in `samplingVariance`. Brought into what the answers prove; exact with all items answered.
 * @param part - 0 for the whole score, s + 1 for scenario s of several
 * @returns null before the first answer
 */
export function stateScore(population: Population, state: AdaptiveState, model: number, part = 0): SampledScore | null {
  const { scores, sums } = state.models[model]!;
  const { begin, end, weight } = partOf(population, part);
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
  const own = sums[part]!;
  if (answers === 0 || own.weight === 0) return null;
  if (answers === end - begin)
    return { score: low, bounds: { low, high: low }, sampling: { ...NO_SAMPLING, answers, right } };
  const { total, sampling, unit } = runningTotal(scaled(own, weight));
  const score = Math.min(high, Math.max(low, total));
  const degrees = Math.min(sampling.degrees, collapsedDegrees(answers));
  const known = Math.min(degrees, 2 * Math.min(right, answers - right));
  const binomial = bernoulliVariance(score, answers) * unit;
  return {
    score,
    bounds: { low, high },
    sampling: {
      variance: (known * sampling.variance + BINOMIAL_DEGREES * binomial) / (known + BINOMIAL_DEGREES),
      degrees: degrees + BINOMIAL_DEGREES,
      answers,
      right,
    },
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
    const known = both.reduce((sum, j) => sum + population.weights[asked[j]!]! * (b[j]! - a[j]!), 0);
    return { difference: known, bounds: { low: known, high: known }, sampling: NO_PAIRED_SAMPLING };
  }
  const { total, sampling, unit } = runningTotal(sums);
  const difference = Math.min(high, Math.max(low, total));
  const n = both.length;
  const { aAhead, bAhead } = discordance(
    both.map((j) => a[j]!),
    both.map((j) => b[j]!),
  );
  const known = Math.min(sampling.degrees, 2 * (n - Math.max(aAhead, bAhead, n - aAhead - bAhead)));
  const free = Math.max(0, freeVariance(difference, aAhead + bAhead, n)) * unit;
  return {
    difference,
    bounds: { low, high },
    sampling: {
      variance: (known * sampling.variance + FREE_DEGREES * free) / (known + FREE_DEGREES),
      degrees: sampling.degrees + FREE_DEGREES,
    },
  };
}

function partOf(
  { scenarios, weights, count }: Population,
  part: number,
): { begin: number; end: number; weight: number } {
  if (part === 0) return { begin: 0, end: count, weight: 1 };
  const { begin, bank } = scenarios[part - 1]!;
  const end = begin + bank.count;
  return { begin, end, weight: weights.subarray(begin, end).reduce((sum, own) => sum + own, 0) };
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

/** ν = 2(n−1)²/(3n−4) of n collapsed strata: a scenario's variance isn't known better than its own answers tell. */
function collapsedDegrees(n: number): number {
  return n < 2 ? 1 : (2 * (n - 1) ** 2) / (3 * n - 4);
}
