import type { AdaptiveOptions } from "anchoreval";
import type { AdaptiveSource } from "anchoreval/internal/features/adaptive/sdk/adaptive-evaluation";
import { type ItemPool, stackedPopulation } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { itemsPrice, withinBudget } from "anchoreval/internal/features/adaptive/sdk/priced";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { invalidOption } from "anchoreval/internal/core/errors";
import type { ItemPrices } from "anchoreval/internal/features/prices/sdk/parse-prices";
import type { AbilityPriors } from "../../../offline-trainer/src/calibrate/linking.ts";
import type { Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import type { CalibratedScenario } from "../../../offline-trainer/src/calibrate/bank.ts";

/** Outcome of one evaluation of models whose answers are all known. */
export interface Replay {
  /** Answers: items, or their trials. */
  readonly asked: number;
  /** Answers beyond the first of every item. */
  readonly again: number;
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
 * @param answers - by model, the score of an item by its id, anew each time that it is asked
 * @param truth - the full score, or S_B − S_A
 * @param purse - null without prices
 * @throws AnchorEvalError `invalid_option` for a budget that isn't enough for the first items, or for an interval
 */
export async function replay(
  source: AdaptiveSource,
  options: AdaptiveOptions,
  answers: readonly ((id: string) => number)[],
  truth: number,
  purse: Purse | null,
): Promise<Replay> {
  const from = purse ? withinBudget(source, purse, purse.budget) : source;
  let [price, answered] = [0, 0];
  let step = await from.begin(options);
  while (step.state !== null) {
    if (purse) price += itemsPrice(purse, step.items);
    const { items } = step;
    answered += items.length;
    const [a, b] = answers.map((scoreOf) => ({
      responses: new Map(items.map(({ item_id }) => [item_id, scoreOf(item_id)])),
    }));
    step = await from.next(step.state, b === undefined ? a! : { a: a!, b });
  }
  const { asked, model, pair } = step;
  const { rule, verdict } = step.stopped!;
  const { interval, reason } = pair ?? model!;
  if (interval === null) throw invalidOption(`the budget is too small: ${reason!}`);
  const { low, high } = interval;
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
    asked: answered,
    again: answered - asked,
    price,
    error: (pair ? pair.difference! : model!.score!) - truth,
    covered,
    halfWidth: (high - low) / 2,
    early,
    falseStop: early && !(verdict === null ? covered : isTrue[verdict]),
  };
}

/** A model's score of an item: the known one, or that of a trial drawn from those of its cell. @param places - of items by id */
export function answersFrom(
  places: ReadonlyMap<string, number>,
  scores: ArrayLike<number>,
  tried: readonly (readonly number[])[] | undefined,
  random: RandomSource,
): (id: string) => number {
  if (!tried) return (id) => scores[places.get(id)!]!;
  return (id) => {
    const runs = tried[places.get(id)!]!;
    return runs[Math.floor(random.next() * runs.length)]!;
  };
}

/** Standard deviation of a draw from some scores. */
export function deviation(scores: readonly number[]): number {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length);
}

/**
 * The pool that an adaptive evaluation draws from: items of scenarios fitted on a split's sources.
 * @param fit - notes, such as the sources' variance components
 */
export function foldPool(
  scenarios: readonly Scenario[],
  trained: readonly CalibratedScenario[],
  priors: AbilityPriors,
  fit: ItemPool["fit"],
): ItemPool {
  let line = 0;
  const all = scenarios.map(({ id, count, weights }, s) => {
    const first = line;
    line += count;
    const { bank, scoreMap } = trained[s]!;
    return { id, bank, scoreMap, weights, first, s };
  });
  const items = scenarios.flatMap(({ matrix }) => matrix.items);
  return {
    benchmark: "replay",
    version: "0.0.0",
    digest: "replay",
    scenarios: all.map(({ id, bank }) => ({ id, items: bank.count })),
    fit,
    population: (wanted) => {
      const chosen = all.filter(({ id }) => wanted.includes(id));
      const pooled = chosen.length > 1 ? priors.pooled : null;
      return stackedPopulation(
        chosen.map(({ s, ...scenario }) => ({
          ...scenario,
          prior: pooled?.[s] ?? priors.separate[s]!,
          share: 1 / chosen.length,
        })),
      );
    },
    item: (at) => ({ item_id: items[at]!.item_id, scenario: items[at]!.scenario }),
  };
}
