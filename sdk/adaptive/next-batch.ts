import { chooseInformative } from "../core/adaptive/choose-informative.ts";
import { drawNext } from "../core/adaptive/draw-next.ts";
import type { Population } from "../core/adaptive/population.ts";
import { populationAbilities } from "../core/adaptive/predict-answers.ts";
import { askedItems, type AdaptiveState } from "../core/adaptive/state.ts";
import type { RandomSource } from "../core/numeric/random.ts";
import type { AdaptivePlan } from "./types.ts";

/**
 * The state with the next items of a plan: drawn for a score, chosen for an ability.
 * @param batches - drawn before: names the stream of this draw
 */
export function nextBatch(
  population: Population,
  { goal, batch, budget }: AdaptivePlan,
  state: AdaptiveState,
  batches: number,
  random: RandomSource,
): AdaptiveState {
  const left = budget - state.asked.length;
  const stream = random.fork(`batch ${batches}`);
  // A batch of one item says nothing of its own variance: what would be left alone goes along.
  if (goal === "score") return drawNext(population, state, left === batch + 1 ? left : Math.min(batch, left), stream);
  const abilities = populationAbilities(population, askedItems(state, 0));
  const items = chooseInformative(population, abilities, state.asked, Math.min(batch, left), stream);
  return { ...state, pending: items.length > 0 ? { items, inclusion: null, forecasts: [] } : null };
}
