import { setImmediate as turn } from "node:timers/promises";
import { batchSize } from "anchoreval/internal/adaptive/adaptive-session";
import type { PoolPopulation } from "anchoreval/internal/adaptive/item-pool";
import type { AdaptivePlan } from "anchoreval/internal/adaptive/types";
import { batchProbabilities } from "anchoreval/internal/core/adaptive/choose-items";
import { type Population, predictAnswers } from "anchoreval/internal/core/adaptive/population";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { pivotalSample } from "anchoreval/internal/core/numeric/sampling";

/** Evaluations by which shares are measured in each round, spread evenly over the models. */
const EVALUATIONS = 100;

const ROUNDS = 12;

/** Margin below the limit that shares are aimed at, relative to it, for the error of measuring. */
const MARGIN = 0.02;

/** Exposure factors, and their effect. */
export interface LimitedExposure {
  /** In (0,1] of every item of the population, the largest 1. */
  readonly factors: Float32Array;
  /** The largest share of evaluations in which an item is given: with the factors, in other evaluations, and without. */
  readonly reached: number;
  readonly unlimited: number;
  readonly evaluations: number;
}

/** The limit, and the evaluations that shares are measured on. */
export interface LimitExposureOptions {
  /** r, the largest share of evaluations in which an item may be given; (0,1]. */
  readonly limit: number;
  readonly random: RandomSource;
  readonly signal?: AbortSignal;
  /** Called before each round. @param reached - the largest share of the last one */
  readonly onRound?: (round: number, of: number, reached: number) => void;
}

/**
 * Exposure factors k that keep the share of evaluations P_i in which an item is given at a limit r: from k = 1,
 *
 *   k_i ← min(1, k_i·(1−δ)r/P_i),   then k ← k/max k,
 *
 * with P expected under k over simulated evaluations and δ = .02, until no share exceeds r or twelve rounds are
 * over. Probabilities are divided by their sum: only the factors' ratios count.
 * @param plan - of an evaluation for the score, of one model
 * @param models - by model, score of every item of the population; NaN = none
 * @throws AnchorEvalError `invalid_option` for a limit below the mean share, budget/items; `aborted`
 * @see Sympson & Hetter (1985), Controlling item-exposure rates in computerized adaptive testing
 */
export async function limitExposure(
  population: Population,
  plan: Pick<AdaptivePlan, "batch" | "budget">,
  models: readonly ArrayLike<number>[],
  { limit, random, signal, onRound }: LimitExposureOptions,
): Promise<LimitedExposure> {
  checkLimit(limit, plan.budget, population.count);
  const measured = (factors: Float32Array, stream: string): Float64Array => {
    const limited = { ...population, exposure: Float64Array.from(factors) };
    return expectedExposure(limited, plan, models, EVALUATIONS, random.fork(stream));
  };
  const aim = limit * (1 - MARGIN);
  let factors = new Float32Array(population.count).fill(1);
  let shares = measured(factors, "round 0");
  let reached = largest(shares);
  const unlimited = reached;
  for (let round = 1; round <= ROUNDS && reached > limit; round++) {
    await turn(); // a signal may be heard
    if (signal?.aborted) throw new AnchorEvalError("aborted", "the search for exposure limits was stopped");
    onRound?.(round, ROUNDS, reached);
    const next = factors.map((factor, i) => Math.min(1, (factor * aim) / shares[i]!));
    const most = largest(next);
    factors = next.map((factor) => factor / most);
    shares = measured(factors, `round ${round}`);
    reached = largest(shares);
  }
  return { factors, reached: largest(measured(factors, "check")), unlimited, evaluations: EVALUATIONS };
}

/**
 * Checks that a limit isn't below the mean share, budget/items, which no factors lower.
 * @throws AnchorEvalError `invalid_option` with the lowest limit there is
 */
export function checkLimit(limit: number, budget: number, items: number): void {
  const least = budget / items;
  if (limit < least)
    throw new AnchorEvalError(
      "invalid_option",
      `an evaluation that asks ${budget} of ${items} items gives an item in ${percent(least)} % of the evaluations on average: a limit of ${limit} is impossible. Use at least ${Math.ceil(1000 * least) / 1000}, or ask fewer items`,
    );
}

function largest(values: Float32Array | Float64Array): number {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
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
