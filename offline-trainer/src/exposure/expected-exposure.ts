import { batchSize, type AdaptivePlan } from "anchoreval";
import { batchProbabilities, pivotalSample, predictAnswers, type Population, type RandomSource } from "anchoreval/core";

/**
 * Share of evaluations in which each item is given, P_i, expected over some models' evaluations for the score:
 *
 *   P_i = mean of 1 − Π_b (1 − π_bi),
 *
 * π_bi the probability that the item is drawn with in batch b, or would be were it still open. Of an item that was asked
 * that is its share beside the open ones, with the predictions that its own answer is part of: an approximation to one
 * answer among all, and a small part of the noise that the drawn items themselves have.
 * @param models - by model, score of every item of the population; NaN = none, then it is asked without an answer
 * @param evaluations - spread evenly over the models
 * @param random - the draws are a function of it and of the answers
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
    const { expected } = predictAnswers(population, { items: asked, scores: asked.map((i) => answers[i]!) });
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
