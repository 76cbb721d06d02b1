import { chooseInformative } from "../core/adaptive/choose-items.ts";
import { type AdaptiveState, askedItems, drawNext } from "../core/adaptive/state.ts";
import { type Population, populationAbilities } from "../core/adaptive/population.ts";
import type { RandomSource } from "../core/numeric/random.ts";
import type { AdaptivePlan } from "./types.ts";

/**
 * Items of a score's next batch: one item says nothing of its own variance, so what would be left alone goes along.
 * @param asked - items that were asked before
 * @example batchSize({ batch: 10, budget: 21 }, 10) // 11
 */
export function batchSize({ batch, budget }: Pick<AdaptivePlan, "batch" | "budget">, asked: number): number {
  const left = budget - asked;
  return left === batch + 1 ? left : Math.min(batch, left);
}

/**
 * The state with the next items of a plan: drawn for a score, chosen for an ability.
 * @param batches - drawn before: names the stream of this draw
 */
export function nextBatch(
  population: Population,
  plan: AdaptivePlan,
  state: AdaptiveState,
  batches: number,
  random: RandomSource,
): AdaptiveState {
  const stream = random.fork(`batch ${batches}`);
  const { goal, batch, budget } = plan;
  const asked = state.asked.length;
  if (goal === "score") return drawNext(population, state, batchSize(plan, asked), stream);
  const abilities = populationAbilities(population, askedItems(state, 0));
  const items = chooseInformative(population, abilities, state.asked, Math.min(batch, budget - asked), stream);
  return { ...state, pending: items.length > 0 ? { items, inclusion: null, forecasts: [] } : null };
}
