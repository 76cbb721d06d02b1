/** Models that are learned from, and models that are held out and estimated. Row numbers, ascending. */
export interface Split {
  readonly sources: readonly number[];
  readonly targets: readonly number[];
}

/** What splits look at. */
export interface SplitInput {
  /** Replicate group of every model; a group is never on both sides. */
  readonly groups: ArrayLike<number>;
  /** Models observed well enough to be targets (98 % of the weight). */
  readonly eligible: readonly boolean[];
}
