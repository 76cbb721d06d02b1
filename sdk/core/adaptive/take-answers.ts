import { batchTotal } from "./batch-total.ts";
import type { Population } from "./population.ts";
import { addBatch, type RunningSums } from "./running-sums.ts";
import { forecastOf, type AdaptiveState } from "./state.ts";

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
  const weights = items.map((i) => population.weights[i]!);
  const added = (sums: RunningSums, batch: ReturnType<typeof batchTotal>): RunningSums =>
    batch === null ? sums : addBatch(sums, batch, population.count, open, items.length);
  const models = state.models.map((model, m) => ({
    scores: [...model.scores, ...Array.from(scores[m]!, (score) => (Number.isNaN(score) ? null : score))],
    sums: model.sums.map((sums, part) =>
      inclusion === null
        ? sums
        : added(
            sums,
            batchTotal(
              forecastOf(pending, m, part),
              partWeights(population, items, weights, part),
              inclusion,
              scores[m]!,
            ),
          ),
    ),
  }));
  let { difference } = state;
  if (difference !== null && inclusion !== null) {
    const [a, b] = [forecastOf(pending, 0, 0), forecastOf(pending, 1, 0)];
    const forecast = {
      score: b.score - a.score,
      expected: items.map((_, j) => b.expected[j]! - a.expected[j]!),
    };
    const gaps = items.map((_, j) => scores[1]![j]! - scores[0]![j]!);
    difference = added(difference, batchTotal(forecast, weights, inclusion, gaps));
  }
  return { asked: [...state.asked, ...items], models, difference, pending: null };
}

/** Weights of a batch in one part of the score: in the whole of it, or in a scenario, 0 for the items of others. */
function partWeights({ scenarios }: Population, items: readonly number[], weights: number[], part: number): number[] {
  if (part === 0) return weights;
  const { begin, bank } = scenarios[part - 1]!;
  return weights.map((weight, j) => (items[j]! >= begin && items[j]! < begin + bank.count ? weight : 0));
}
