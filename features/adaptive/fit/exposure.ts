import { batchSize } from "anchoreval/internal/features/adaptive/sdk/adaptive-session";
import type { PoolPopulation } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import type { AdaptivePlan } from "anchoreval/internal/features/adaptive/sdk/types";
import { batchProbabilities } from "anchoreval/internal/features/adaptive/core/choose-items";
import { type Population, predictAnswers } from "anchoreval/internal/features/adaptive/core/population";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { pivotalSample } from "anchoreval/internal/core/numeric/sampling";

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
