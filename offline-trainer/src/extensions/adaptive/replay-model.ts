import type { AdaptiveOptions } from "anchoreval";
import type { AdaptiveSource } from "anchoreval/internal/adaptive/adaptive-evaluation";
import { type ItemPool, stackedPopulation } from "anchoreval/internal/adaptive/item-pool";
import { itemsPrice, withinBudget } from "anchoreval/internal/adaptive/priced";
import type { ItemPrices } from "anchoreval/internal/prices/parse-prices";
import type { BankPriors } from "../../calibrate/linking.ts";
import type { ScenarioGroup } from "../../matrix/benchmark.ts";
import type { Bank } from "../../calibrate/bank.ts";

/** Outcome of one evaluation of models whose answers are all known. */
export interface Replay {
  readonly asked: number;
  /** Of all items asked together; 0 without prices. */
  readonly price: number;
  /** Estimate minus truth, of the score or of the difference; a fraction. */
  readonly error: number;
  readonly covered: boolean;
  /** Half of the last interval. */
  readonly halfWidth: number;
  /** A stop rule was met before the budget was spent. */
  readonly early: boolean;
  /** The same, but wrongly: the truth lies outside the interval, or on the other side. */
  readonly falseStop: boolean;
}

/** Prices of all items, and what an evaluation may cost at most. */
export interface Purse extends ItemPrices {
  /** In the prices' unit; may be infinite. */
  readonly budget: number;
}

/**
 * Evaluates a model, or two, adaptively, by known answers.
 * @param source - of the items
 * @param answers - by model, score by item id
 * @param truth - the full score, or S_B − S_A
 * @param purse - null without prices
 * @throws AnchorEvalError `invalid_option` for a budget that isn't enough for the first items
 */
export async function replay(
  source: AdaptiveSource,
  options: AdaptiveOptions,
  answers: readonly ReadonlyMap<string, number>[],
  truth: number,
  purse: Purse | null,
): Promise<Replay> {
  const from = purse ? withinBudget(source, purse, purse.budget) : source;
  let price = 0;
  let step = await from.begin(options);
  while (step.state !== null) {
    if (purse) price += itemsPrice(purse, step.items);
    const { items } = step;
    const [a, b] = answers.map((own) => ({
      responses: new Map(items.map(({ item_id }) => [item_id, own.get(item_id)!])),
    }));
    step = await from.next(step.state, b === undefined ? a! : { a: a!, b });
  }
  const { asked, model, pair } = step;
  const { rule, verdict } = step.stopped!;
  const { low, high } = (pair ?? model!).interval!;
  const covered = low - 1e-9 <= truth && truth <= high + 1e-9;
  const early = !["budget", "all-items"].includes(rule);
  const threshold = options.stop?.threshold ?? NaN;
  const isTrue = {
    above: truth >= threshold,
    below: truth <= threshold,
    "a-better": truth <= 0,
    "b-better": truth >= 0,
  };
  return {
    asked,
    price,
    error: (pair ? pair.difference! : model!.score!) - truth,
    covered,
    halfWidth: (high - low) / 2,
    early,
    falseStop: early && !(verdict === null ? covered : isTrue[verdict]),
  };
}

/** The pool that an adaptive evaluation draws from: items of banks fitted on a split's sources. */
export function foldPool(tasks: readonly ScenarioGroup[], banks: readonly Bank[], priors: BankPriors): ItemPool {
  let line = 0;
  const all = banks.flatMap((bank, b) =>
    bank.scenarios.map(({ slice, ...scenario }) => {
      const first = line;
      line += slice.count;
      return { ...scenario, id: slice.id, weights: slice.weights, exposure: null, first, b };
    }),
  );
  const items = tasks.flatMap(({ matrix, scenarios }) =>
    scenarios.flatMap(({ begin, count }) => matrix.items.slice(begin, begin + count)),
  );
  return {
    benchmark: "replay",
    version: "0.0.0",
    digest: "replay",
    scenarios: all.map(({ id, bank }) => ({ id, items: bank.count })),
    population: (wanted) => {
      const chosen = all.filter(({ id }) => wanted.includes(id));
      const used = [...new Set(chosen.map(({ b }) => b))];
      const linked = used.length > 1 ? priors.joint : null;
      return stackedPopulation(
        chosen.map((scenario) => ({ ...scenario, share: 1 / chosen.length })),
        used.map((b) => ({
          id: tasks[b]!.id,
          scenarios: tasks[b]!.scenarios.map(({ id }) => id),
          prior: linked?.[b] ?? priors.separate[b]!,
        })),
      );
    },
    item: (at) => ({ item_id: items[at]!.item_id, scenario: items[at]!.scenario }),
  };
}
