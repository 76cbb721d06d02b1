import type { ScoredItems } from "../../../sdk/core/ability/map.ts";
import type { RandomSource } from "../../../sdk/core/numeric/random.ts";
import { drawBatch, partRange, type Population, predictAnswers } from "./population.ts";
import { addBatch, type BatchForecast, batchTotal, NO_SUMS, type RunningSums, runningTotal } from "./running-total.ts";
import { collapsedDegrees, NO_SAMPLING, shrunkSampling } from "../../../sdk/core/inference/sampling-variance.ts";
import type { SampledScore } from "../../../sdk/core/inference/score-interval.ts";
import {
  NO_PAIRED_SAMPLING,
  type SampledDifference,
  shrunkPaired,
} from "../../../sdk/core/inference/paired-difference.ts";

/**
 * Where an adaptive evaluation of one model or of two stands: plain numbers, and all that its next step needs beside the
 * population.
 */
export interface AdaptiveState {
  /** Positions whose batches have been answered, in the order of the draws. */
  readonly asked: readonly number[];
  readonly models: readonly ModelState[];
  /** Of S_B − S_A; null for one model. */
  readonly difference: RunningSums | null;
  /** Drawn and not yet answered; null where nothing is left. */
  readonly pending: PendingBatch | null;
}

/** One model's answers so far. */
interface ModelState {
  /** Aligned with the items asked; null = no answer. */
  readonly scores: readonly (number | null)[];
  /** Of the whole score, then of every scenario's part of it where there are several. */
  readonly sums: readonly RunningSums[];
}

/** Items that were given out and not answered yet. */
interface PendingBatch {
  /** Positions, in the order of the draw's strata. */
  readonly items: readonly number[];
  /** π of each; null for items that weren't drawn but chosen. */
  readonly inclusion: readonly number[] | null;
  /** By model: p̂ of the items, and what its {@link ModelState.sums} would be totals of if all predictions were right. */
  readonly forecasts: readonly { readonly expected: readonly number[]; readonly totals: readonly number[] }[];
}

export function askedItems({ asked, models }: AdaptiveState, model: number): ScoredItems {
  return { items: asked, scores: models[model]!.scores.map((score) => score ?? NaN) };
}

/** A pending batch's forecast of one part of a score. */
function forecastOf({ forecasts }: PendingBatch, model: number, part: number): BatchForecast {
  const { expected, totals } = forecasts[model]!;
  return { score: totals[part]!, expected };
}

/** The same of two models' difference. */
function forecastOfGaps(pending: PendingBatch): BatchForecast {
  const [a, b] = [forecastOf(pending, 0, 0), forecastOf(pending, 1, 0)];
  return { score: b.score - a.score, expected: Array.from(a.expected, (chance, j) => b.expected[j]! - chance) };
}

/** The state before the first item. @param models - 1, or 2 that are asked the same items */
export function emptyState({ scenarios }: Population, models: 1 | 2): AdaptiveState {
  const parts = scenarios.length > 1 ? scenarios.length + 1 : 1;
  return {
    asked: [],
    models: Array.from({ length: models }, () => ({ scores: [], sums: Array.from({ length: parts }, () => NO_SUMS) })),
    difference: models === 2 ? NO_SUMS : null,
    pending: null,
  };
}

/**
 * The state with its next items drawn, from the predictions for both models.
 * @param size - items to draw, ≥ 1; all that are left where these are fewer
 */
export function drawNext(
  population: Population,
  state: AdaptiveState,
  size: number,
  random: RandomSource,
): AdaptiveState {
  const left = population.count - state.asked.length;
  if (left === 0) return { ...state, pending: null };
  const answers = state.models.map((_, m) => askedItems(state, m));
  const first = predictAnswers(population, answers[0]!);
  // Before the first answer the prior predicts the same of both.
  const predicted = answers.map((scored, m) =>
    m === 0 || state.asked.length === 0 ? first : predictAnswers(population, scored),
  );
  const { items, inclusion } = drawBatch(population, state.asked, predicted, Math.min(size, left), random);
  const forecasts = predicted.map((expected, m) => ({
    expected: Array.from(items, (i) => expected[i]!),
    totals: forecastTotals(population, expected, answers[m]!),
  }));
  return { ...state, pending: { items: Array.from(items), inclusion: Array.from(inclusion), forecasts } };
}

/** Σ_asked wᵢyᵢ + Σ_open wᵢp̂ᵢ over all items, then over every scenario's where there are several. */
function forecastTotals({ scenarios, weights }: Population, expected: Float64Array, asked: ScoredItems): number[] {
  const scores = expected.slice();
  for (let j = 0; j < asked.items.length; j++)
    if (!Number.isNaN(asked.scores[j]!)) scores[asked.items[j]!] = asked.scores[j]!;
  const totals = scenarios.map(({ begin, bank }) => {
    let total = 0;
    for (let i = begin; i < begin + bank.count; i++) total += weights[i]! * scores[i]!;
    return total;
  });
  const all = totals.reduce((sum, total) => sum + total, 0);
  return totals.length > 1 ? [all, ...totals] : [all];
}

/**
 * The state after its pending batch was answered.
 * @param scores - by model, aligned with the batch's items; NaN = no answer
 */
export function takeAnswers(
  population: Population,
  state: AdaptiveState,
  scores: readonly ArrayLike<number>[],
): AdaptiveState {
  const pending = state.pending!;
  const { items, inclusion } = pending;
  const open = population.count - state.asked.length;
  const added = (
    sums: RunningSums,
    part: number,
    forecast: () => BatchForecast,
    answers: ArrayLike<number>,
  ): RunningSums => {
    const batch = inclusion && batchTotal(forecast(), partWeights(population, items, part), inclusion, answers);
    return batch === null ? sums : addBatch(sums, batch, population.count, open, items.length);
  };
  const models = state.models.map((model, m) => ({
    scores: [...model.scores, ...Array.from(scores[m]!, (score) => (Number.isNaN(score) ? null : score))],
    sums: model.sums.map((sums, part) => added(sums, part, () => forecastOf(pending, m, part), scores[m]!)),
  }));
  let { difference } = state;
  if (difference !== null) {
    const gaps = items.map((_, j) => scores[1]![j]! - scores[0]![j]!);
    difference = added(difference, 0, () => forecastOfGaps(pending), gaps);
  }
  return { asked: [...state.asked, ...items], models, difference, pending: null };
}

/** Weights of a batch in one part of the score: in the whole of it, or in a scenario, 0 for the items of others. */
function partWeights(population: Population, items: readonly number[], part: number): number[] {
  const { begin, end } = partRange(population, part);
  return items.map((i) => (i >= begin && i < end ? population.weights[i]! : 0));
}

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
