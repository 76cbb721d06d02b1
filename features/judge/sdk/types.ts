import type { Interval } from "../../../sdk/estimate/types.ts";

/** The mean of people's labels over all items that a judge scored, had people labelled all of them. */
export interface JudgedEstimate {
  /** In [0,1]; null without labels. */
  readonly score: number | null;
  readonly interval: Interval | null;
  /** Items that the judge scored. */
  readonly items: number;
  /** Of them those with a label. */
  readonly labelled: number;
  /** The mean of the labels alone, what they would say without the judge; null without labels. */
  readonly labels: { readonly score: number; readonly interval: Interval } | null;
  /** As many labels alone would be as sure as these are with the judge; null without labels, or where all have one. */
  readonly worth: number | null;
  /** The judge, beside the labels. */
  readonly judge: {
    /** Its mean over all items: the score that it would have claimed, where it is on the labels' scale. */
    readonly score: number;
    /** By how much that is above the people's score, with its interval; null without labels, or on another scale than [0,1]. */
    readonly bias: { readonly mean: number; readonly interval: Interval } | null;
    /** With the labels, in [−1,1]; null without labels, or where either doesn't vary. */
    readonly correlation: number | null;
    /** Whether the judge's scores narrow the interval; else the labels alone are what the score is. */
    readonly used: boolean;
  };
  /** The items to label for `halfWidth`, drawn at random; absent where none was asked for. */
  readonly next?: {
    /** Labels in all that the half-width is expected to take. */
    readonly labels: number;
    /** Item ids, in the order to label them: every first part is spread over the judge's scores. */
    readonly items: readonly string[];
  };
  readonly warnings: readonly { readonly code: "labels_unlike" | "few_labels"; readonly message: string }[];
}
