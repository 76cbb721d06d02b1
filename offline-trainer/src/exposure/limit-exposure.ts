import { setImmediate as turn } from "node:timers/promises";
import type { AdaptivePlan } from "anchoreval";
import { AnchorEvalError, type Population, type RandomSource } from "anchoreval/core";
import { expectedExposure } from "./expected-exposure.ts";

/** Evaluations that shares are measured on in each round, spread evenly over the models. */
const EVALUATIONS = 100;

/** Rounds at most. */
const ROUNDS = 12;

/** Part of the limit by which shares are aimed below it, for what measuring leaves open. */
const MARGIN = 0.02;

/** Exposure factors, and what they brought about. */
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
  /** Before each round. @param reached - the largest share of the last one */
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
 * Refuses a limit below the mean share, budget/items, which no factors lower.
 * @throws AnchorEvalError `invalid_option` with the lowest limit there is
 */
export function checkLimit(limit: number, budget: number, items: number): void {
  const least = budget / items;
  if (limit < least)
    throw new AnchorEvalError(
      "invalid_option",
      `an evaluation that asks ${budget} of ${items} items gives an item in ${percent(least)} % of the evaluations on average: a limit of ${limit} can't be kept. Take ${Math.ceil(1000 * least) / 1000} or more, or ask fewer items`,
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
