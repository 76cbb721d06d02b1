import type { Estimate, EstimateOptions, Integer, Interval } from "../../../sdk/estimate/types.ts";
import type { AnyResponses } from "../../../sdk/tables/item-trials.ts";

/**
 * That which a difference is said of. `runs`: of the models, over runs of theirs on these items, whose spread their trials tell.
 * `tasks`: of the models, over tasks like these, the items a draw of such. `these-answers`: of the scores of these very runs on all
 * items, which two runs of one model may differ in, too.
 */
export type Over = "runs" | "tasks" | "these-answers";

/** The same of a race, which takes an answer of each item. */
export type RaceOver = Exclude<Over, "runs">;

/** One model's answers to the anchors of a bundle. */
export interface ComparedModel extends Pick<EstimateOptions, "form" | "formDigest" | "digest" | "hashes"> {
  /** Its name in messages and results. @default "A" and "B"; "model 1", "model 2", … */
  readonly name?: string;
  /** Scores, or trials of items: lists of scores or counts, from several runs. */
  readonly responses: AnyResponses;
  /** Version of the bundle whose anchors were asked: another major version than this bundle's is an error. */
  readonly version?: string;
}

/** How several models are ranked. */
export interface RankOptions extends Pick<EstimateOptions, "form" | "level" | "onChangedItem"> {
  /** @default runs where a model's trials tell of half of its items or more, else tasks */
  readonly over?: Over;
}

/** How two models are compared. */
export interface CompareOptions extends RankOptions {
  /** The largest difference of scores that doesn't matter, a fraction in [0,1). @default 0 */
  readonly margin?: number;
}

/** `undecided` is "can't tell". */
export type Verdict = "a-better" | "b-better" | "no-difference" | "undecided";

/** Two models on the same anchors. Differences are S_B − S_A, above 0 where B's score is the higher. */
export interface Difference {
  /** Null where there are no answers that both gave. */
  readonly difference: number | null;
  /** Null for purposive forms and too few answers; `reason` says which. */
  readonly interval: Interval | null;
  readonly reason: string | null;
  /** One-sided confidence that B is better, in what `over` says: ½ or more where its estimate is the higher. Null without an interval. */
  readonly oneSidedConfidence: number | null;
  readonly mcnemar: McNemar;
  /** Both models' scores, from the items that both answered: `difference` is theirs. */
  readonly scores: ComparedScores;
  /** The difference of the two scores as `estimateFromAnchors` gives each model by itself. */
  readonly subtraction: number | null;
  /** Items that both answered: only these count. */
  readonly answered: Integer;
  readonly of: Integer;
}

/** Mid-p McNemar test on the raw answers, whatever the items weigh. */
interface McNemar {
  /** Items on which A's score is the higher. */
  readonly aHigher: Integer;
  readonly bHigher: Integer;
  /** Two-sided, in (0,1]. */
  readonly pValue: number;
}

/** A compared model's own score. */
export interface ModelScore {
  /** In a ranking as `estimateFromAnchors` gives it; of two models both have been estimated together. */
  readonly score: number | null;
  /** As `estimateFromAnchors` gives it. */
  readonly interval: Interval | null;
  /** The design-weighted mean of the answers alone (`anchor-mean`): what models are ranked by. */
  readonly stratifiedMean: number | null;
}

/** Both models' scores. */
interface ComparedScores {
  readonly a: ModelScore;
  readonly b: ModelScore;
}

/** The models' names. */
interface ComparedNames {
  readonly a: string;
  readonly b: string;
}

/** The result of `compareFromAnchors` and of `anchoreval compare` with two models. */
export interface Comparison
  extends Pick<Estimate, "benchmark" | "version" | "form" | "digest" | "warnings">, Difference {
  readonly names: ComparedNames;
  readonly margin: number;
  /** That which difference, interval and verdict are said of. */
  readonly over: Over;
  /** Null without an interval. */
  readonly verdict: Verdict | null;
  /**
   * Items more, over all scenarios, at which the interval would decide if the difference stayed what it is; for `undecided`, and
   * null where all items wouldn't.
   */
  readonly moreItems: Integer | null;
  readonly scenarios: Readonly<Record<string, Difference>>;
}

/** The result of `rankFromAnchors` and of `anchoreval compare` with several models. */
export interface Ranking extends Pick<Estimate, "benchmark" | "version" | "form" | "digest" | "warnings"> {
  /** Simultaneous confidence of the rank intervals. */
  readonly level: number;
  /** That which the rank intervals are said of. */
  readonly over: Over;
  /** Why there are no rank intervals. */
  readonly reason: string | null;
  /** Items that all models answered: only these count. */
  readonly answered: Integer;
  readonly of: Integer;
  /** The highest stratified mean first. */
  readonly models: readonly RankedModel[];
}

/** A model with its place among those that were ranked. */
export interface RankedModel extends ModelScore {
  readonly name: string;
  /** Position in the list that was given, from 0. */
  readonly index: Integer;
  /** Place by the stratified mean, 1 the best; ties share the better one. */
  readonly rank: Integer | null;
  /** Places that it may have among these models, all models' intervals together at `level`. */
  readonly rankInterval: { readonly low: Integer; readonly high: Integer } | null;
}
