import type { AdaptiveTurn } from "./adaptive-session.ts";
import type { ItemPool, PoolPopulation } from "./item-pool.ts";
import type { AdaptiveInterval, AdaptiveItem, AdaptiveModel, AdaptiveScore } from "./types.ts";
import { partRange, predictAnswers } from "../core/population.ts";
import { designInterval } from "../../../sdk/core/inference/score-interval.ts";
import type { KnownVariance } from "../../../sdk/core/inference/sampling-variance.ts";
import { studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { MOST_TILT } from "../../../sdk/core/numeric/sampling.ts";
import { trialShare } from "../../trials/sdk/components.ts";
import type { VarianceComponents } from "../../trials/core.ts";
import { summariseTrials } from "../../../sdk/tables/item-trials.ts";
import {
  type NoiseBasis,
  noiseBasis,
  shrunkVariances,
  sumOfTerms,
  weakestBasis,
} from "../../trials/sdk/trial-variances.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

/** Trials of one item. */
export interface Tried {
  /** How often it was asked. */
  readonly asked: number;
  /** Of the trials that have one. */
  readonly scores: readonly number[];
  /** The mean that the source of the items knows; null = none, or not yet. */
  readonly told: number | null;
}

/** The items of an evaluation with what is known of their noise before the first answer. */
export interface NoisyItems {
  readonly population: PoolPopulation;
  /** By position. */
  readonly items: readonly AdaptiveItem[];
  /** ρ, the share of an answer's variance about its prediction that another trial draws anew. */
  readonly shares: Float64Array;
  /** Variance of the score that another trial takes away for its price, but for 1/(R(R+1)): w²·ρ·p̂(1−p̂)/c. */
  readonly gains: Float64Array;
  /** Trials of an item that is asked. */
  readonly trials: Float64Array;
  /** Scenarios whose noise the source models' trials tell of. */
  readonly known: ReadonlySet<string>;
}

/** @param prices - of the items, taken for no less than 1/16 of the median; absent = all one */
export function noisyItems(
  pool: ItemPool,
  scenarios: readonly string[],
  components: ReadonlyMap<string, VarianceComponents>,
  trialsOf: ReadonlyMap<string, number>,
  prices?: ReadonlyMap<string, number>,
): NoisyItems {
  const population = pool.population(scenarios);
  const items = Array.from(population.lines, (line) => pool.item(line));
  const costs = Float64Array.from(items, ({ item_id: id }) => prices?.get(id) ?? 1);
  const least = costs.toSorted()[costs.length >> 1]! / MOST_TILT ** 2 || 1;
  const shares = Float64Array.from(items, ({ scenario }) => trialShare(components.get(scenario)));
  const predicted = predictAnswers(population, { items: [], scores: [] });
  const gains = shares.map((share, i) => {
    const p = predicted[i]!;
    return (population.weights[i]! ** 2 * share * p * (1 - p)) / Math.max(costs[i]!, least);
  });
  const trials = Float64Array.from(items, ({ scenario }) => trialsOf.get(scenario)!);
  return { population, items, shares, gains, trials, known: new Set(components.keys()) };
}

/** The items of which another trial tells most for its price, at most `size`; none where no trial tells anything. */
export function noisiestItems(
  { items, gains }: NoisyItems,
  tried: ReadonlyMap<string, Tried>,
  size: number,
): AdaptiveItem[] {
  const open = items.flatMap((item, i) => {
    const trials = tried.get(item.item_id);
    if (trials === undefined || trials.scores.length === 0) return [];
    return [{ item, gain: gains[i]! / (trials.asked * (trials.asked + 1)) }];
  });
  const some = open.filter(({ gain }) => gain > 0).sort((a, b) => b.gain - a.gain);
  return some.slice(0, Math.max(0, size)).map(({ item }) => item);
}

/**
 * Weight of the noise predicted by the source models, in degrees of freedom. A rule by width stops where few trials happen to
 * agree: with 2, as fixed numbers of trials have it, it stopped too early.
 */
const PRIOR_DEGREES = 30;

/** Expected scores over runs so far: those of a step with what trials of its items say beside it. */
export function expectedScores(
  { population, items, shares, trials, known: noted }: NoisyItems,
  { model: placing, plan: { level } }: AdaptiveTurn,
  tried: ReadonlyMap<string, Tried>,
): {
  readonly model: AdaptiveModel;
  readonly answers: number;
  readonly run: AdaptiveInterval | null;
  readonly runDeviation: number;
  readonly basis: NoiseBasis;
} {
  const attempts = items.map(({ item_id: id }) => tried.get(id));
  const summaries = attempts.map((one) => summariseTrials(one?.scores ?? []));
  const asked = attempts.flatMap((one, i) => (one ? [i] : []));
  const predicted = predictAnswers(population, { items: asked, scores: asked.map((i) => summaries[i]!.mean) });
  const moved = attempts.map((one, i) =>
    one?.told == null ? 0 : population.weights[i]! * (summaries[i]!.mean - one.told),
  );
  const noise = new Float64Array(population.count);
  const bases = population.scenarios.map(({ id, begin, bank }) => {
    const end = begin + bank.count;
    const prior = predicted.slice(begin, end).map((p, k) => shares[begin + k]! * p * (1 - p));
    const { variances, degrees } = shrunkVariances(summaries.slice(begin, end), prior, PRIOR_DEGREES);
    variances.forEach((variance, k) => {
      const i = begin + k;
      noise[i] = (population.weights[i]! ** 2 * variance) / Math.max(summaries[i]!.count, trials[i]!);
    });
    return noiseBasis(degrees, noted.has(id));
  });
  const part = (score: AdaptiveScore, at: number): AdaptiveScore => {
    if (score.score === null) return score;
    const { begin, end } = partRange(population, at);
    const total = (values: ArrayLike<number>): number => {
      let sum = 0;
      for (let i = begin; i < end; i++) sum += values[i]!;
      return sum;
    };
    const weight = at === 0 ? 1 : total(population.weights);
    const { variance, degrees } = sumOfTerms(noise.slice(begin, end));
    const answered = summaries.slice(begin, end).filter(({ count }) => count > 0);
    const shifted = Math.min(1, Math.max(0, score.score + total(moved) / weight));
    const interval = score.interval && widened(
      { ...score.interval, low: score.interval.low + shifted - score.score, high: score.interval.high + shifted - score.score },
      shifted,
      { variance: variance / weight ** 2, degrees },
      { answers: answered.length, right: answered.reduce((sum, { mean }) => sum + mean, 0) },
      level,
    ); // prettier-ignore
    return { ...score, score: shifted, interval };
  };
  const single = population.scenarios.length === 1;
  const model = placing!;
  return {
    model: {
      ...model,
      ...part(model, 0),
      scenarios: Object.fromEntries(
        population.scenarios.map(({ id }, s) => {
          const scenario = lookUp(model.scenarios, id)!;
          return [id, { ...scenario, ...part(scenario, single ? 0 : s + 1) }];
        }),
      ),
    },
    answers: attempts.reduce((sum, one) => sum + (one?.asked ?? 0), 0),
    run: model.interval,
    runDeviation: Math.sqrt(noise.reduce((sum, variance) => sum + variance, 0)),
    basis: weakestBasis(bases),
  };
}

/** A run's interval with the noise of the run added: the variances add up. */
function widened(
  run: AdaptiveInterval,
  score: number,
  noise: KnownVariance,
  drawn: { readonly answers: number; readonly right: number },
  level: number,
): AdaptiveInterval {
  if (noise.variance === 0) return run;
  const t = studentTQuantile(0.5 + level / 2, noise.degrees) * Math.sqrt(noise.variance);
  const { low, high } =
    run.method === "exact"
      ? designInterval(
          { score, bounds: { low: 0, high: 1 }, sampling: { ...noise, ...drawn, unit: 0, bias: 0 } },
          level,
        )
      : { low: score - Math.hypot(score - run.low, t), high: score + Math.hypot(run.high - score, t) };
  return { ...run, low: Math.max(0, low), high: Math.min(1, high), method: "design-based" };
}
