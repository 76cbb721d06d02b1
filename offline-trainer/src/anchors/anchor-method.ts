import type { AnchorSet, EstimatorId, ItemBank, RandomSource } from "anchoreval/core";
import type { ItemInfo } from "../matrix/response-matrix.ts";

/** What a way to choose anchors may look at: one scenario of the source models, nothing else. */
export interface AnchorInput {
  readonly scenario: string;
  /** The scenario's items; on threads without their texts. */
  readonly items: readonly ItemInfo[];
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
  /** Mean score of every item among the source models, in [0,1]; NaN where none has answered it. */
  readonly accuracy: Float64Array;
  readonly bank: ItemBank;
  /** Names of the source models. */
  readonly models: readonly string[];
  /** Family of every source model. */
  readonly families: ArrayLike<number>;
  /** Abilities of the source models on the bank's scale, M×D row-major. */
  readonly abilities: Float64Array;
  /** The source models' scores on item i as a vector, missing ones filled with the item's mean; ½ where all are. */
  readonly column: (item: number) => Float64Array;
  /** Sizes asked for, ascending, each below the number of items. */
  readonly sizes: readonly number[];
  /** The preparation's own stream; every draw has another. */
  readonly random: RandomSource;
  /** The anchors are a bundle's, not a fold's: worth a longer simulation. */
  readonly final: boolean;
  /** Of the method's {@link AnchorMethod.know}. */
  readonly knowledge?: unknown;
  /** What a search chose, where the fit has one. */
  readonly design?: unknown;
  /** Ties drawn samples to earlier ones. */
  readonly coordination?: SampleCoordination;
}

/** Changes the probabilities of nested draws, so that samples keep items that earlier samples had. */
export interface SampleCoordination {
  /** Sizes that are drawn beside those asked for. */
  readonly sizes: readonly number[];
  /** @returns a function of one draw's levels, largest first: probabilities of the pool's items, with the same sum */
  readonly begin: () => (pool: readonly number[], probabilities: Float64Array, size: number) => Float64Array;
}

/** Chosen anchors of one scenario. */
export interface ChosenAnchors {
  /** By size. */
  readonly sets: ReadonlyMap<number, AnchorSet>;
  /** Whether the smaller are part of the larger. */
  readonly nested: boolean;
}

/** One scenario's anchors, ready to be drawn again and again: all is done that doesn't depend on the draw. */
export interface PreparedAnchors {
  readonly draw: (random: RandomSource) => ChosenAnchors | Promise<ChosenAnchors>;
  /**
   * Of a choice on purpose: a second set for every size, chosen in the same way from the items that the first of that size
   * left, for the same full score. Needs twice as many items as the size.
   */
  readonly second?: () => ReadonlyMap<number, AnchorSet>;
  /** What the manifest's `fit` records of the choice: `fit[key][scenario]`. */
  readonly notes?: () => Promise<Readonly<Record<string, unknown>>>;
}

/** Where a thread loads a value from: a module's URL and the name of its export. */
export interface ValueSource {
  readonly module: string;
  readonly name: string;
}

/** A way to choose the anchors of a scenario. */
export interface AnchorMethod {
  /** The name that the manifest records and `--selection` takes. */
  readonly name: string;
  readonly source: ValueSource;
  /** Anchors have known inclusion probabilities. */
  readonly drawn: boolean;
  /** The estimator that reads these anchors best: `score` where none is asked for. */
  readonly estimator: EstimatorId;
  /** It can choose a second form of other items ({@link PreparedAnchors.second}). */
  readonly second?: boolean;
  /** What the items tell apart from answers, texts among it: plain data, made once for all folds. */
  readonly know?: (items: readonly ItemInfo[], scenario: string) => unknown;
  /** Refuses a size that it can't choose, before anything is fitted. @throws AnchorEvalError `invalid_option` */
  readonly check?: (
    scenario: { readonly id: string; readonly count: number },
    size: number,
    knowledge: unknown,
  ) => void;
  readonly prepare: (input: AnchorInput) => PreparedAnchors;
}
