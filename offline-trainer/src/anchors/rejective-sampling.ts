import { pivotalSample, type RandomSource } from "anchoreval/core";
import { bestProposal } from "./best-proposal.ts";
import { drawNested, shares, type NestedLevel } from "./nested-draw.ts";

/** Share of the proposals that meet the bound, where samples are neither tiny nor nearly everything. */
const ACCEPTANCE = 0.03;

/** Proposals a level that the bound is read off. */
const PILOT_PROPOSALS = 500;

/**
 * Proposals after which the best one seen is taken: of a share of .03 all miss the bound once in ten thousand times.
 * Pools without a good sample in them are more frequent.
 */
const MOST_PROPOSALS = 300;

/**
 * Share of the forms that are taken as they are first proposed. An item that would spoil the balance of any small sample
 * keeps this share of its probability: without a chance for every item nothing is unbiased.
 */
const UNJUDGED = 0.1;

/** Squared score below which a difference is the rounding of sums. */
const ROUNDING = 1e-18;

/** One size of nested samples and what its samples are judged by. */
export interface RejectiveLevel extends NestedLevel {
  /** The smaller the better. */
  readonly criterion: (sample: ArrayLike<number>) => number;
}

/** A level with the bound that its samples must meet. */
export interface BoundedLevel extends RejectiveLevel {
  readonly bound: number;
  /** Share of the proposals that meet it, about. */
  readonly share: number;
}

/** Nested samples that must meet a bound at every size, all of it fixed before a form is drawn. */
export interface RejectiveDesign {
  /** Largest size first; π those of the proposals. */
  readonly levels: readonly BoundedLevel[];
  /** All items as samples list them. */
  readonly order: readonly number[];
}

/**
 * Share of the proposals that a level accepts. Of one drawn item (or one left out) all are good, of two every second: a
 * strict bound would leave items no chance.
 * @param outer - size of the samples that it is drawn from
 */
export function acceptedShare({ size, inclusion }: NestedLevel, outer: number, acceptance = ACCEPTANCE): number {
  const certain = inclusion.reduce((count, own) => count + (own >= 1 - 1e-9 ? 1 : 0), 0);
  return Math.max(acceptance, 1 / Math.max(1, Math.min(size - certain, outer - size)));
}

/**
 * Fixes the bounds from proposals of a stream of its own: at each level a quantile of the criterion over proposals from
 * samples of the next larger level that met theirs.
 */
export function fixBounds(
  levels: readonly RejectiveLevel[],
  order: readonly number[],
  random: RandomSource,
  acceptance = ACCEPTANCE,
): RejectiveDesign {
  let pools: readonly (readonly number[])[] = [order];
  let outer: NestedLevel | null = null;
  const bounded = levels.map((level) => {
    const { inclusion, criterion } = level;
    const chances = pools.map((pool) => shares(pool, inclusion, outer?.inclusion ?? null));
    const proposals = Array.from({ length: PILOT_PROPOSALS }, (_, k) => {
      const pool = pools[k % pools.length]!;
      const sample = pivotalSample(chances[k % pools.length]!, random).map((position) => pool[position]!);
      return { sample, value: criterion(sample) };
    });
    const share = acceptedShare(level, outer?.size ?? order.length, acceptance);
    const ranked = Float64Array.from(proposals, ({ value }) => value).sort();
    const bound = ranked[Math.ceil(share * PILOT_PROPOSALS) - 1]! * (1 + 1e-9) + ROUNDING;
    pools = proposals.filter(({ value }) => value <= bound).map(({ sample }) => sample);
    outer = level;
    return { ...level, bound, share };
  });
  return { levels: bounded, order };
}

/**
 * Draws nested samples by rejection: at each level the first of the proposals that meets the bound, the best one where
 * {@link MOST_PROPOSALS} don't; one form in ten isn't judged at all. A proposal is a pivotal sample from the next
 * larger sample.
 * @param stream - the streams by name: `judged`, and `size N` for the proposals of a size
 * @returns items of each level, in order
 * @see Fuller (2009), Biometrika 96, 933–944; Hájek (1964), Annals of Mathematical Statistics 35, 1491–1523
 */
export function drawRejective({ levels, order }: RejectiveDesign, stream: (name: string) => RandomSource): number[][] {
  const judged = stream("judged").next() >= UNJUDGED;
  return drawNested(levels, order, (probabilities, { size, criterion, bound }, pool) => {
    const random = stream(`size ${size}`);
    if (!judged) return pivotalSample(probabilities, random);
    return bestProposal(pool, probabilities, random, { criterion, bound, most: MOST_PROPOSALS });
  });
}
