import type { ItemBank, MonotoneMap } from "anchoreval/core";
import type { CurveFeatures } from "../anchors/curve-features.ts";

/** Response curves of the items, from models' answers. */
export interface AnsweredItems {
  /** The items that have curves, ascending, in the order of the banks. */
  readonly items: Uint32Array;
  /** A 2PL in one dimension: what information and equating are computed with. */
  readonly bank: ItemBank;
  /** From probability back to score, where scores were binarised. */
  readonly scoreMap: MonotoneMap | null;
  /** Scores above it were taken as right; null where all are 0 or 1. */
  readonly threshold: number | null;
  /** The models' abilities on its scale, their mean and standard deviation. */
  readonly abilities: { readonly values: Float64Array; readonly mean: number; readonly sd: number };
  /** Leading components of the curves in as many dimensions as the models allow, and the items' expected scores. */
  readonly curves: CurveFeatures & { readonly expected: Float64Array };
  /** Dimensions of those curves. */
  readonly dims: number;
  readonly models: number;
  readonly converged: boolean;
}

/** Where difficulties come from, in the summary's words. */
export type DifficultySource =
  | { readonly kind: "none" }
  | { readonly kind: "column"; readonly column: string }
  | {
      readonly kind: "responses";
      readonly models: number;
      /** Items of the responses that no item of the pool is joined to. */
      readonly unused: number;
      /** Column of the items that holds the responses' ids. */
      readonly join: string;
      /**
       * Whether the answers are to other texts than the pool's: `no` where that was said or seen, `yes` where other texts
       * were seen, `unknown` else.
       */
      readonly borrowed: "yes" | "no" | "unknown";
      /** Joined items whose texts were seen to be the same, and others; null where none could be compared. */
      readonly sameTexts: { readonly same: number; readonly other: number } | null;
    };

/** How difficult each item of a pool is, as far as that is known. */
export interface PoolDifficulty {
  readonly source: DifficultySource;
  /** An item each, NaN where it isn't known. Null where nothing at all is: then forms are divided by subject alone. */
  readonly values: Float64Array | null;
  /** The curves behind them, where models' answers are. */
  readonly answered: AnsweredItems | null;
}

/** Nothing is known of any item's difficulty. */
export const NO_DIFFICULTY: PoolDifficulty = { source: { kind: "none" }, values: null, answered: null };
