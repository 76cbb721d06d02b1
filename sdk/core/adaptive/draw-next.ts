import type { RandomSource } from "../numeric/random.ts";
import { drawBatch } from "./draw-batch.ts";
import type { AskedItems, Population } from "./population.ts";
import { predictAnswers } from "./predict-answers.ts";
import { NO_SUMS } from "./running-sums.ts";
import { askedItems, type AdaptiveState } from "./state.ts";

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
 * The state with its next items drawn, by what the answers so far foretell of both models.
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
  const first = predictAnswers(population, answers[0]!).expected;
  // Before the first answer the prior foretells the same of both.
  const predicted = answers.map((own, m) =>
    m === 0 || state.asked.length === 0 ? first : predictAnswers(population, own).expected,
  );
  const { items, inclusion } = drawBatch(population, state.asked, predicted, Math.min(size, left), random);
  const forecasts = predicted.map((expected, m) => ({
    expected: Array.from(items, (i) => expected[i]!),
    totals: forecastTotals(population, expected, answers[m]!),
  }));
  return { ...state, pending: { items: Array.from(items), inclusion: Array.from(inclusion), forecasts } };
}

/** Σ_asked wᵢyᵢ + Σ_open wᵢp̂ᵢ over all items, then over every scenario's where there are several. */
function forecastTotals({ scenarios, weights }: Population, expected: Float64Array, asked: AskedItems): number[] {
  const known = expected.slice();
  for (let j = 0; j < asked.items.length; j++)
    if (!Number.isNaN(asked.scores[j]!)) known[asked.items[j]!] = asked.scores[j]!;
  const own = scenarios.map(({ begin, bank }) => {
    let total = 0;
    for (let i = begin; i < begin + bank.count; i++) total += weights[i]! * known[i]!;
    return total;
  });
  const all = own.reduce((sum, total) => sum + total, 0);
  return own.length > 1 ? [all, ...own] : [all];
}
