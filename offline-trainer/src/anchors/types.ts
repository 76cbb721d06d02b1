import type { AnchorSet, ItemBank, RandomSource } from "anchoreval/core";
import type { FilteredItems } from "../methods/coarse-filter.ts";
import type { ItemFeatures } from "../methods/sublime/item-features.ts";
import type { SubsetRanking } from "../methods/sublime/untouched-ranking.ts";

/** The ways to choose anchors, by name. */
export const SELECTIONS = [
  "stratified",
  "random",
  "hybrid",
  "screened",
  "greedy-variance",
  "essence",
  "fisher-information",
  "sublime",
  "irt-kmeans",
  "correctness-kmeans",
] as const;

/** A way to choose anchors. */
export type Selection = (typeof SELECTIONS)[number];

/** Whether a selection leaves out items that say the same as another. */
export function leavesOutCopies(selection: Selection): boolean {
  return selection === "essence" || selection === "fisher-information";
}

/** Selections that can choose a second form of other items ({@link PreparedSelection.second}). */
export const SECOND_FORM_SELECTIONS: readonly Selection[] = ["greedy-variance", "essence", "fisher-information"];

/** Anchors that an earlier version's forms had, and items that it didn't have. */
export interface StandingAnchors {
  /** Items by position, by number of anchors. */
  readonly kept: ReadonlyMap<number, ReadonlySet<number>>;
  /** 1 for an item that could be no anchor then. */
  readonly fresh: Uint8Array;
}

/** What a selection may look at: one scenario of the source models, nothing else. */
export interface SelectionInput {
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
  /** Mean score of every item among the source models, in [0,1]; NaN where none has answered it. */
  readonly accuracy: Float64Array;
  readonly bank: ItemBank;
  /** Abilities of the source models on the bank's scale, M×D row-major. */
  readonly abilities: Float64Array;
  /** The source models' scores on item i as a vector, missing ones filled with the item's mean; ½ where all are. */
  readonly column: (item: number) => Float64Array;
  /** Family of every source model; without, each is one of its own. */
  readonly families?: ArrayLike<number>;
  /** Groups of items with the same text, their first ones first. */
  readonly copies?: readonly (readonly number[])[];
  /** What is known of the items apart from answers. */
  readonly features?: ItemFeatures;
  /** Source models that describe subsets by their scores, by position. @default spread over the range of scores */
  readonly anchorModels?: ArrayLike<number>;
  /** Of an earlier version: drawn selections keep its anchors where they can. */
  readonly standing?: StandingAnchors;
  /** Sizes asked for, ascending, each below the number of items. */
  readonly sizes: readonly number[];
  readonly random: RandomSource;
  /** Proposals simulated where inclusion probabilities have no formula. @default 10 000 */
  readonly simulatedProposals?: number;
  /** Generations of each genetic search at most. @default 100 */
  readonly generations?: number;
  /** What a search chose, where there was one. */
  readonly design?: unknown;
  /** Subsets drawn of each size, where one of many is chosen. @default 200 */
  readonly candidates?: number;
}

/** One scenario's anchors, ready to be drawn again and again: all is done that doesn't depend on the draw. */
export interface PreparedSelection {
  readonly draw: (random: RandomSource) => SelectedAnchors | Promise<SelectedAnchors>;
  /**
   * Of a choice on purpose: a second set for every size, chosen in the same way from the items that the first of that size
   * left, for the same full score. Needs twice as many items as the size.
   */
  readonly second?: () => ReadonlyMap<number, AnchorSet>;
  /** Of a selection that looks among some of the items only: which they are. */
  readonly filtered?: FilteredItems;
  /** Of a selection that goes by the models' ranking: how each size was chosen, and what that is worth. */
  readonly rankings?: () => ReadonlyMap<number, SubsetRanking>;
}

/** Chosen anchors of one scenario. */
export interface SelectedAnchors {
  /** By size. */
  readonly sets: ReadonlyMap<number, AnchorSet>;
  /** Whether the smaller are part of the larger. */
  readonly nested: boolean;
}

/** Items ordered from hard to easy for the source models; ties by position. Unanswered items stand in the middle. */
export function byAccuracy(accuracy: Float64Array): number[] {
  const at = (i: number): number => (Number.isNaN(accuracy[i]!) ? 0.5 : accuracy[i]!);
  return Array.from({ length: accuracy.length }, (_, i) => i).sort((x, y) => at(x) - at(y) || x - y);
}
