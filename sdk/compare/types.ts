import type { Estimate, EstimateOptions, Interval, Responses } from "../estimate/types.ts";

/** One model's answers to the anchors of a bundle. */
export interface ComparedModel extends Pick<EstimateOptions, "form" | "formDigest" | "digest" | "hashes"> {
  /** Its name in messages and results. @default "A" and "B"; "model 1", "model 2", … */
  readonly name?: string;
  readonly responses: Responses;
  /** Version of the bundle whose anchors were asked: another major version than this bundle's is an error. */
  readonly version?: string;
}

/** How two models are compared. */
export interface CompareOptions extends Pick<EstimateOptions, "form" | "level" | "onChangedItem"> {
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
  /** One-sided confidence that B's full score is the higher: above ½ where its estimate is. Null without an interval. */
  readonly oneSidedConfidence: number | null;
  readonly mcnemar: McNemar;
  /** Both models' scores, from the items that both answered: `difference` is theirs. */
  readonly scores: { readonly a: ModelScore; readonly b: ModelScore };
  /** The difference of the two scores as `estimateFromAnchors` gives each model by itself. */
  readonly subtraction: number | null;
  /** Items that both answered: only these count. */
  readonly answered: number;
  readonly of: number;
}

/** Mid-p McNemar test on the raw answers, whatever the items weigh. */
interface McNemar {
  /** Items on which A's score is the higher. */
  readonly aHigher: number;
  readonly bHigher: number;
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

/** The result of `compareFromAnchors` and of `anchoreval compare` with two models. */
export interface Comparison
  extends Pick<Estimate, "benchmark" | "version" | "form" | "digest" | "warnings">, Difference {
  readonly names: { readonly a: string; readonly b: string };
  readonly margin: number;
  /** Null without an interval. */
  readonly verdict: Verdict | null;
  /** Items more, over all scenarios, at which the interval would decide if the difference stayed what it is; for `undecided`. */
  readonly moreItems: number | null;
  readonly scenarios: Readonly<Record<string, Difference>>;
}

/** How models are ranked. */
export type RankOptions = Pick<EstimateOptions, "form" | "level" | "onChangedItem">;

/** The result of `rankFromAnchors` and of `anchoreval compare` with several models. */
export interface Ranking extends Pick<Estimate, "benchmark" | "version" | "form" | "digest" | "warnings"> {
  /** Simultaneous confidence of the rank intervals. */
  readonly level: number;
  /** Why there are no rank intervals. */
  readonly reason: string | null;
  /** Items that all models answered: only these count. */
  readonly answered: number;
  readonly of: number;
  /** The highest stratified mean first. */
  readonly models: readonly RankedModel[];
}

/** A model with its place among those that were ranked. */
export interface RankedModel extends ModelScore {
  readonly name: string;
  /** Position in the list that was given, from 0. */
  readonly index: number;
  /** Place by the stratified mean, 1 the best; ties share the better one. */
  readonly rank: number | null;
  /** Places that its full score may have among these models, all models' intervals together at `level`. */
  readonly rankInterval: { readonly low: number; readonly high: number } | null;
}
