import type { AdaptiveOptions } from "anchoreval";
import { type AdaptiveSource, batchSize } from "anchoreval/internal/features/adaptive/sdk/adaptive-session";
import {
  type ItemPool,
  stackedPopulation,
  type PoolPopulation,
} from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { itemsPrice, withinBudget } from "anchoreval/internal/features/adaptive/sdk/priced";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { invalidOption } from "anchoreval/internal/core/errors";
import type { ItemPrices } from "anchoreval/internal/features/prices/sdk/parse-prices";
import type { AbilityPriors } from "../../../offline-trainer/src/calibrate/linking.ts";
import type { Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { variance } from "../../../offline-trainer/src/numeric/statistics.ts";
import type { CalibratedScenario } from "../../../offline-trainer/src/calibrate/bank.ts";
import type { AdaptivePlan } from "anchoreval/internal/features/adaptive/sdk/types";
import {
  batchProbabilities,
  type Population,
  predictAnswers,
} from "anchoreval/internal/features/adaptive/core/population";
import { pivotalSample } from "anchoreval/internal/core/numeric/sampling";

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
  return Math.sqrt(variance(scores));
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

/**
 * Share of evaluations in which each item is given, P_i, expected over some models' evaluations for the score:
 *
 *   P_i = mean of 1 − Π_b (1 − π_bi),
 *
 * π_bi the probability that the item is drawn in batch b, or would be if it were still open. For an item that was asked it is
 * computed as if it were open, with predictions that include its own answer: an approximation that is small beside the noise
 * of the drawn items themselves.
 * @param models - by model, score of every item of the population; NaN for none: then it is asked without an answer
 * @param evaluations - spread evenly over the models
 * @returns aligned with the population, in [0,1]; Σ ≈ the plan's budget
 */
export function expectedExposure(
  population: Population,
  plan: Pick<AdaptivePlan, "batch" | "budget">,
  models: readonly ArrayLike<number>[],
  evaluations: number,
  random: RandomSource,
): Float64Array {
  const shares = new Float64Array(population.count);
  for (let e = 0; e < evaluations; e++) {
    const spared = sparedChances(
      population,
      plan,
      models[Math.floor((e * models.length) / evaluations)]!,
      random.fork(`evaluation ${e}`),
    );
    spared.forEach((chance, i) => (shares[i] = shares[i]! + (1 - chance) / evaluations));
  }
  return shares;
}

/** Draws what an evaluation for the score draws. @returns Π_b (1 − π_bi) of every item */
function sparedChances(
  population: Population,
  plan: Pick<AdaptivePlan, "batch" | "budget">,
  answers: ArrayLike<number>,
  random: RandomSource,
): Float64Array {
  const spared = new Float64Array(population.count).fill(1);
  const asked: number[] = [];
  for (let batch = 0; asked.length < plan.budget; batch++) {
    const size = batchSize(plan, asked.length);
    const expected = predictAnswers(population, { items: asked, scores: asked.map((i) => answers[i]!) });
    const open = batchProbabilities(population, asked, [expected], size);
    const all = asked.length === 0 ? open : batchProbabilities(population, [], [expected], size);
    const chances = new Float64Array(population.count);
    all.items.forEach((i, k) => (chances[i] = all.inclusion[k]!));
    const scale = size / open.items.reduce((sum, i) => sum + chances[i]!, 0);
    for (const i of asked) chances[i] = Math.min(1, chances[i]! * scale);
    open.items.forEach((i, k) => (chances[i] = open.inclusion[k]!));
    chances.forEach((chance, i) => (spared[i] = spared[i]! * (1 - chance)));
    asked.push(...pivotalSample(open.inclusion, random.fork(`batch ${batch}`)).map((k) => open.items[k]!));
  }
  return spared;
}

export interface ItemExposure {
  /** Of the item that is given most often. */
  readonly most: number;
  /** 95 % of the items are given no more often. */
  readonly percentile95: number;
}

/** Exposure of a population's items in evaluations of some models, expected from the probabilities of the draws. */
export function itemExposure(
  population: PoolPopulation,
  plan: AdaptivePlan,
  models: readonly ArrayLike<number>[],
  evaluations: number,
  random: RandomSource,
): ItemExposure {
  const shares = expectedExposure(population, plan, models, evaluations, random).sort();
  return { most: shares.at(-1)!, percentile95: shares[Math.ceil(0.95 * shares.length) - 1]! };
}
