import { normalCdf, normalQuantile } from "../../../sdk/core/numeric/distributions.ts";
import type { Bounds } from "../../../sdk/core/estimators/answered-sample.ts";
import { looksLevel } from "./looks-level.ts";
import { differenceBounds, type SampledDifference } from "../../../sdk/core/inference/paired-difference.ts";

/** Bounds that differ by less are the same number of float64, summed in another order. */
const ROUNDING = 1e-12;

/** Scores and differences of candidates after each round; rounds count from 0. */
export interface RaceEvidence {
  /** Rounds that each candidate has answered whole. */
  readonly completed: readonly number[];
  /** Estimated score of candidate i after a round. */
  readonly score: (i: number, round: number) => number;
  /** S_i − S_j from the items of the rounds up to this one; no sampling where nothing but its bounds is known. */
  readonly difference: (
    i: number,
    j: number,
    round: number,
  ) => Omit<SampledDifference, "sampling"> & { readonly sampling: SampledDifference["sampling"] | null };
}

/** Where candidates stand. */
export interface Elimination {
  /** Of each candidate, the round in which it was found worse than another, and which; null while it is in. */
  readonly out: readonly ({ readonly round: number; readonly by: number } | null)[];
  /** Upper confidence bound of S_i − S_j, the least of all rounds; Infinity before there is one. */
  readonly most: (i: number, j: number) => number;
  /** The candidate in the race with the highest estimate among those that have answered most. */
  readonly leader: number;
  /** No candidate is better than the leader by more than this. */
  readonly within: number;
  /** The candidate that none beats by more than the margin; null while there is no such. */
  readonly winner: number | null;
  /** Rounds that each candidate should have answered next; none where there is a winner or nothing more to ask. */
  readonly ask: ReadonlyMap<number, number>;
}

/**
 * Quantile z of one pair's one-sided bounds such that all bounds that a wrong end of the race would need hold together,
 * at every look: Pocock's constant for the information times 1/V of the looks, at (1 − level)/(k − 1).
 *
 * The best candidate b is lost where a bound of S_b − S_j fails for one of its k − 1 opponents, and only there: no other
 * pair counts. D̂ at look t has V_t = 1/I_t, and D̂ − D goes as W(I)/I, W a Brownian motion, for samples without
 * replacement too, where I grows beyond all bounds.
 * A two-sided constant at (1 − e)² has each side crossed with probability e at most: to cross one makes the other less
 * likely.
 * @param level - chance of no error, in (0,1)
 * @param candidates - k, at least 2
 * @param times - information at every look, positive and ascending, any unit
 * @see Pocock (1977), Biometrika 64, 191–199; Even-Dar, Mannor & Mansour (2006), JMLR 7, 1079–1105; Jennison & Turnbull
 * (1997), JASA 92, 1330–1341, for the joint distribution
 * @example raceQuantile(0.95, 2, [1]) // ≈ 1.657
 */
export function raceQuantile(level: number, candidates: number, times: readonly number[]): number {
  const error = (1 - level) / (candidates - 1);
  const first = times[0]!;
  const looks = times.map((time) => time / first);
  return normalQuantile(0.5 + looksLevel((1 - error) ** 2, looks) / 2);
}

/**
 * Elimination of candidates by looks at growing common samples: after every round, a candidate is out whose upper bound
 * D̂ + t·√V of S_i − S_j lies below 0 for another one in the race. The race is won by the candidate ℓ where every other is
 * out, or has a bound of S_i − S_ℓ of at most the margin. With the probability of {@link raceQuantile} the best one isn't
 * out unless it is tied, so that the winner's score is the highest, or lower by no more than the margin.
 *
 * The result depends on the answers alone, not on when they were looked at; who is out stays out, as further rounds change
 * no earlier one. Of those in the race, the one with the highest estimate is never out.
 * @param z - quantile of every bound, from `raceQuantile`
 * @param margin - the largest difference that doesn't matter, at least 0
 * @param rounds - that there are
 */
export function eliminate(evidence: RaceEvidence, z: number, margin: number, rounds: number): Elimination {
  const { completed } = evidence;
  const all = completed.map((_, i) => i);
  const out: Elimination["out"][number][] = completed.map(() => null);
  const bounds = new Float64Array(all.length ** 2).fill(Infinity);
  const most = (i: number, j: number): number => bounds[i * all.length + j]!;
  const confidence = normalCdf(z);
  for (let round = 0; round < Math.max(...completed); round++) {
    const present = all.filter((i) => completed[i]! > round && out[i] === null);
    const losses: { i: number; by: number; bound: number }[] = [];
    const bounded = (i: number, by: number, bound: number): void => {
      if (bound < most(i, by)) bounds[i * all.length + by] = bound;
      if (bound < -ROUNDING) losses.push({ i, by, bound });
    };
    for (const i of present)
      for (const j of present) {
        if (j >= i) break;
        const { low, high } = pairBounds(evidence.difference(i, j, round), confidence);
        bounded(i, j, high);
        bounded(j, i, -low);
      }
    losses.sort((left, right) => left.bound - right.bound || left.by - right.by);
    for (const { i, by } of losses) out[i] ??= { round, by };
  }
  const inside = all.filter((i) => out[i] === null);
  const longest = Math.max(...inside.map((i) => completed[i]!));
  const withinOf = (leader: number): number =>
    inside.reduce((largest, i) => (i === leader ? largest : Math.max(largest, most(i, leader))), 0);
  const score = (i: number): number => (completed[i] === 0 ? -1 : evidence.score(i, completed[i]! - 1));
  const highest = (from: readonly number[]): number =>
    from.reduce((best, i) => (score(i) > score(best) + ROUNDING ? i : best));
  const sure = inside.filter((i) => withinOf(i) <= margin + ROUNDING);
  const ahead = inside.filter((i) => completed[i] === longest);
  const surest = sure.filter((i) => completed[i] === longest);
  const winner = sure.length === 0 ? null : highest(surest.length > 0 ? surest : sure);
  const leader = winner ?? highest(ahead);
  const open = inside.filter((i) => i !== leader && most(i, leader) > margin + ROUNDING);
  const behind = open.filter((i) => completed[i]! < longest);
  const next = behind.length > 0 ? behind : longest < rounds ? [...open, leader] : [];
  const ask = new Map(winner === null ? next.map((i) => [i, completed[i]! + 1]) : []);
  return { out, most, leader, within: withinOf(leader), winner, ask };
}

/** One-sided bounds of a difference, each by itself; without an error what the answers prove. */
function pairBounds({ sampling, ...difference }: ReturnType<RaceEvidence["difference"]>, confidence: number): Bounds {
  return sampling === null ? difference.bounds : differenceBounds({ ...difference, sampling }, confidence);
}

/**
 * The candidate that is better than each other one, by bounds of the pairs that it is in; null where none is known to be.
 * It is another than the best one with the probability that z leaves for an error, whatever the race asked whom.
 * @param z - quantile of every bound, from {@link raceQuantile}
 */
export function provenBest({ completed, difference }: Omit<RaceEvidence, "score">, z: number): number | null {
  const confidence = normalCdf(z);
  const beaten = completed.map(() => new Set<number>());
  for (let round = 0; round < Math.max(...completed); round++)
    for (let i = 0; i < completed.length; i++)
      for (let j = 0; j < i; j++) {
        if (Math.min(completed[i]!, completed[j]!) <= round) continue;
        const { low, high } = pairBounds(difference(i, j, round), confidence);
        if (low > ROUNDING) beaten[i]!.add(j);
        if (high < -ROUNDING) beaten[j]!.add(i);
      }
  const best = beaten.findIndex((others) => others.size === completed.length - 1);
  return best < 0 ? null : best;
}
