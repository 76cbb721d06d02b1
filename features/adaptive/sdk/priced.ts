import { invalidOption } from "../../../sdk/core/errors.ts";
import { MOST_TILT } from "../../../sdk/core/numeric/sampling.ts";
import { priceWords } from "../../../sdk/words/figures.ts";
import type { ItemPrices } from "../../prices/sdk/parse-prices.ts";
import type { AdaptiveSource, AdaptiveTurn } from "./adaptive-session.ts";
import type { ItemPool } from "./item-pool.ts";
import type { AdaptiveItem, TrialItem } from "./types.ts";

/**
 * A pool whose items are drawn by what they tell for their price: probabilities, wσ without prices, are multiplied by a
 * factor in proportion to 1/√c, c an item's price over the median, within a quarter and four times. They stay known, so
 * scores stay unbiased whatever the prices are.
 * @param prices - of all items of the pool
 * @throws AnchorEvalError `invalid_option` for an item without a price
 * @see Cochran (1977), Sampling Techniques, §5.5
 */
export function pricedPool(pool: ItemPool, prices: Pick<ItemPrices, "items">): ItemPool {
  return {
    ...pool,
    population: (scenarios) => {
      const population = pool.population(scenarios);
      const costs = Float64Array.from(population.lines, (line) => priceOf(prices, pool.item(line)));
      const median = costs.toSorted()[costs.length >> 1]!;
      const factors = costs.map((price) => {
        const tilt = price === median ? 1 : Math.sqrt(median / price);
        return Math.min(MOST_TILT, Math.max(1 / MOST_TILT, tilt)) / MOST_TILT;
      });
      return { ...population, factors };
    },
  };
}

/**
 * A source that ends an evaluation before the next items would cost more than a budget, all of them together. Whether they
 * would is known before they are answered, and no answer of theirs decides it.
 * @param budget - in the prices' unit, at least 0
 * @throws AnchorEvalError `invalid_option` for a budget that isn't enough for the first items, or an item without a price
 * @example withinBudget(localAdaptive(pricedPool(pool, prices)), prices, 5)
 */
export function withinBudget(source: AdaptiveSource, prices: ItemPrices, budget: number): AdaptiveSource {
  if (!(typeof budget === "number" && budget > 0))
    throw invalidOption(`a budget must be a number above 0, got ${JSON.stringify(budget)}`);
  const bounded = (drawn: AdaptiveTurn, spent: number): AdaptiveTurn => {
    if (drawn.state === null) return drawn;
    const next = spent + itemsPrice(prices, drawn.items);
    if (next <= budget) return { ...drawn, state: JSON.stringify({ state: drawn.state, spent: next }) };
    if (drawn.asked === 0)
      throw invalidOption(
        `the first ${drawn.items.length} items cost ${priceWords(next, prices.unit)}, more than the budget of ${priceWords(budget, prices.unit)}: give a larger one, or a smaller batch`,
      );
    const message = `${priceWords(spent, prices.unit)} are spent, and the next items would take it above ${priceWords(budget, prices.unit)}`;
    return { ...drawn, items: [], state: null, stopped: { rule: "budget", verdict: null, message } };
  };
  return {
    begin: async (options) => bounded(await source.begin(options), 0),
    next: async (wrapped, answers) => {
      const { state, spent } = JSON.parse(wrapped) as { state: string; spent: number };
      return bounded(await source.next(state, answers), spent);
    },
  };
}

/** The price of some items together, and of further trials of some. @throws AnchorEvalError `invalid_option` for one without */
export function itemsPrice(prices: Pick<ItemPrices, "items" | "repeat">, items: readonly TrialItem[]): number {
  const share = ({ trial = 1 }: TrialItem): number => (trial === 1 ? 1 : (prices.repeat ?? 1));
  return items.reduce((sum, item) => sum + share(item) * priceOf(prices, item), 0);
}

function priceOf({ items }: Pick<ItemPrices, "items">, { item_id: id }: AdaptiveItem): number {
  const price = items.get(id);
  if (price === undefined) throw invalidOption(`there is no price of item ${id}`);
  return price;
}
