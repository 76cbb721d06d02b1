import type { FormsCheck } from "./check-forms.ts";
import type { DifficultySource } from "./difficulty.ts";
import type { Refinement } from "./refine-forms.ts";

/** Items, and their share of all. */
export interface Counted {
  readonly items: number;
  readonly share: number;
}

/** L1 distance, Σ|share − share|, by subject and by bucket of difficulty: 0 to 2. */
export interface Distances {
  readonly subjects: number;
  readonly difficulty: number;
}

/** Mean and standard deviation of items' difficulties. */
export interface DifficultyMoments {
  readonly mean: number;
  readonly sd: number;
}

export interface BucketSummary extends Counted {
  /** Numbered from the lowest difficulty; `unknown` has the items without one. */
  readonly bucket: string;
  readonly from: number | null;
  readonly to: number | null;
}

/** What a form is made of, and how near it is to the pool. */
export interface FormSummary {
  readonly form: number;
  readonly items: number;
  readonly subjects: Readonly<Record<string, Counted>>;
  readonly buckets: Readonly<Record<string, Counted>>;
  /** To the pool. */
  readonly distance: Distances;
  /** Of the items whose difficulty is known; null where it isn't of any. */
  readonly difficulty: DifficultyMoments | null;
}

/** Two forms against each other. */
export interface PairSummary {
  readonly forms: readonly [number, number];
  readonly distance: Distances;
  /**
   * Difference of the expected scores, in fractions: absolutely, over the models' abilities on average, and at most between
   * the grid's ends. Null without answers.
   */
  readonly expectedScoreDifference: { readonly mean: number; readonly largest: number } | null;
  /** What one model's two scores differ by on average by chance alone, however alike the forms; null as for `chance`. */
  readonly chanceDifference: number | null;
}

/** Expected scores and test information on a grid of abilities, by the 2PL in one dimension. */
export interface CurvesSummary {
  /** In standard deviations of the models' abilities about their mean. */
  readonly abilities: readonly number[];
  readonly expectedScores: { readonly pool: readonly number[]; readonly forms: readonly (readonly number[])[] };
  /**
   * Fisher information about the ability in those units, so that 1/√information is the standard error in them. The pool's
   * is that of as many of its items as a form has, on average.
   */
  readonly information: { readonly pool: readonly number[]; readonly forms: readonly (readonly number[])[] };
}

/** How scores on a form are brought to the pool's. */
export interface EquatingSummary {
  /** `identity`: without answers a form's score stands for the pool's as it is. */
  readonly method: "irt-true-score" | "identity";
  /** Whether it rests on answers to these very items. */
  readonly verified: boolean;
  readonly note: string;
  /** Of each form: at place x the score in [0,1] that is expected on the whole pool of who got x items right. */
  readonly poolScores: readonly (readonly number[])[];
}

/** Everything about some parallel forms that their users should know; `summary.json` is this and the files' digests. */
export interface FormsSummary {
  readonly options: {
    readonly size: number;
    readonly count: number;
    readonly buckets: number;
    readonly by: string | null;
    readonly seed: number;
    readonly exclude: Readonly<Record<string, number>>;
  };
  readonly pool: {
    readonly items: number;
    readonly idColumn: string | null;
    readonly subjects: Readonly<Record<string, Counted>>;
    readonly buckets: readonly BucketSummary[];
    readonly difficulty: DifficultyMoments | null;
  };
  readonly difficulty: DifficultySource & {
    readonly method: string;
    readonly known: number;
    readonly unknown: number;
    /** Of the calibration; null without one. */
    readonly calibration: {
      /** Of the response curves that forms are matched in. */
      readonly dims: number;
      /** Scores above it were taken as right; null where all are 0 or 1. */
      readonly threshold: number | null;
      readonly converged: boolean;
    } | null;
  };
  readonly forms: readonly FormSummary[];
  readonly pairs: readonly PairSummary[];
  /** What no form of this size can be below, each margin by itself: counts are whole numbers. */
  readonly leastDistance: Distances;
  /** Every form has the same number of items in every stratum. */
  readonly identicalQuotas: boolean;
  readonly refinement: Refinement | null;
  readonly curves: CurvesSummary | null;
  readonly equating: EquatingSummary;
  /** What models that had no part in calibration and choice show. */
  readonly check: FormsCheck;
  readonly warnings: readonly string[];
}
