import { pivotalSample, type RandomSource } from "anchoreval/core";

/** Which of several proposals is taken. */
export interface BestProposalOptions {
  /** Of a proposal's items, in order; the smaller the better. */
  readonly criterion: (sample: ArrayLike<number>) => number;
  /** Proposals drawn at most. */
  readonly most: number;
  /** The first proposal at or below it is taken at once. @default none: all are drawn */
  readonly bound?: number;
}

/**
 * The best of several pivotal samples from a pool; the first of those equally good.
 * @param pool - items, in the order that samples are spread along
 * @param probabilities - of the pool's items
 * @returns positions in the pool, ascending
 */
export function bestProposal(
  pool: readonly number[],
  probabilities: Float64Array,
  random: RandomSource,
  { criterion, most, bound = -Infinity }: BestProposalOptions,
): number[] {
  let best: number[] = [];
  let least = NaN;
  for (let k = 0; k < most && !(least <= bound); k++) {
    const positions = pivotalSample(probabilities, random);
    const value = criterion(positions.map((position) => pool[position]!));
    if (least <= value) continue;
    least = value;
    best = positions;
  }
  return best;
}
