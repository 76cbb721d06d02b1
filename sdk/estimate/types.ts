import type { ByEstimator, EstimatorId } from "../core/estimators/types.ts";
import type { ScoreRange } from "../core/inference/ranks.ts";
import type { AnswerPattern, Suspicion } from "../core/person-fit/answer-pattern.ts";

/** A whole number: an `int` in Python, whose results are made from these types. */
export type Integer = number;

/** An interval for the score that this run would have got on all items of this benchmark version. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  /** Confidence level, in (0,1). */
  readonly level: number;
  /**
   * `design-based`: from the random draw of the anchors. `conformal`: the same, narrowed inside the range seen by what
   * held-out source models were measured to allow. `cross-validated`: from errors on held-out source models.
   * `exact`: every item was answered. `predicted`: it counts scenarios that weren't asked, predicted from the others.
   */
  readonly method: "design-based" | "conformal" | "cross-validated" | "exact" | "predicted";
}

/** Without a method: for the chances themselves, on all items of this benchmark version, or for a bridged score. */
export type PassInterval = Pick<Interval, "low" | "high" | "level">;

/** A warning's kind, for programs. */
export type WarningCode =
  | "stronger_than_any_seen"
  | "weaker_than_any_seen"
  | "missing_answers"
  | "changed_items_dropped"
  /** Answers to items of the bundle that the form doesn't ask; they count where every item of a scenario is answered. */
  | "other_items"
  /** Answers to no item of the bundle. */
  | "unknown_items"
  | "no_interval"
  /** Every item was answered, but the score is on items that the bundle doesn't have: it isn't exact. */
  | "beyond_items"
  /**
   * Fewer than twelve source models, or none that answered enough to be held out: nothing but the draw of the anchors tells
   * what the score may err by.
   */
  | "few_source_models"
  /** The answers to all scenarios can't be pooled: one has too few. */
  | "estimated_separately"
  | "ability_not_converged"
  /** The scenario wasn't asked: its score comes from the other scenarios'. */
  | "predicted_scenario"
  | "suspicious_pattern"
  /** Of estimates from trials alone: the source models were tried more often, or less. */
  | "other_trials"
  /** The bundle is from before format 1.4: its manifest has no checksum, so that a damage to it may not be seen. */
  | "unchecked_manifest"
  /** The bundle has parts of a newer anchoreval, which no score bears on. */
  | "unknown_part"
  /** The bundle's publisher took this version back. */
  | "yanked_version";

/** Something that a reader of the score should know, in plain words. */
export interface EstimateWarning {
  readonly code: WarningCode;
  readonly scenario?: string;
  /** Answers that it is about, where it counts them. */
  readonly count?: Integer;
  readonly message: string;
}

/** The result of `estimateFromAnchors`, of `POST …/estimates` and of `anchoreval estimate`. Scores are fractions in [0,1]. */
export interface Estimate {
  readonly benchmark: string;
  readonly version: string;
  readonly form: string;
  /** Digest of the bundle, `sha256:…`. */
  readonly digest: string;
  /** Overall score; null where a scenario has no estimate, and `reason` says which. */
  readonly score: number | null;
  /** There where `score` counts scenarios that weren't asked. */
  readonly predicted?: true;
  readonly interval: Interval | null;
  /** Why `score` or `interval` is null. */
  readonly reason: string | null;
  /** Items answered, and asked (`of`). */
  readonly answered: Integer;
  readonly of: Integer;
  readonly warnings: readonly EstimateWarning[];
  /** The meaning of the scores, in a sentence; there where that isn't the plain mean over the items. */
  readonly estimand?: string;
  readonly scenarios: Readonly<Record<string, ScenarioResult>>;
}

/** One scenario's score; the score and the interval are fractions. */
export interface ScenarioResult {
  readonly score: number | null;
  /** There where the scenario wasn't asked and `score` was predicted from the other scenarios' scores. */
  readonly predicted?: true;
  readonly interval: Interval | null;
  /** Why `score` or `interval` is null. */
  readonly reason: string | null;
  /** Every item was answered: the score is exact. */
  readonly exact: boolean;
  /** Items answered, and asked (`of`). */
  readonly answered: Integer;
  readonly of: Integer;
  /** Answered share of the anchors' weight, in [0,1]. */
  readonly answeredShare: number;
  /** Where the model lies against the source models' scores. */
  readonly range: ScoreRange | null;
  /** Share of source models with a lower full score, in [0,1]. */
  readonly percentile: number | null;
  readonly details: ScenarioDetails | null;
}

/** How a scenario's score came about. */
export interface ScenarioDetails {
  /** Ability on the scenario's scale, one number a dimension. */
  readonly theta: readonly number[];
  readonly thetaStandardError: readonly number[];
  readonly thetaStatus: "converged" | "max-iterations";
  /** The answers that the score rests on: to all scenarios together, or to its own alone. */
  readonly evidence: "alone" | "together";
  /** λ of gp-irt. */
  readonly lambda: number;
  /** The estimator that `score` is. */
  readonly estimator: EstimatorId;
  readonly estimators: ByEstimator<number>;
  /** Probability that the full score lies above or below every source model's. */
  readonly outside: { readonly above: number; readonly below: number };
  /** How its answers lie against what its ability lets expect. */
  readonly pattern: ScenarioPattern;
}

/** How the answers lie against what the ability predicts, and what is odd about them. */
interface ScenarioPattern extends AnswerPattern {
  /** In nats, where the bundle has no thresholds for such a model; suspicious above 2. */
  readonly disorder?: number;
  /**
   * Suspicions, by thresholds from held-out source models, or by `disorder` where the bundle has none; null where less
   * than 70 % of the anchors' weight was answered.
   */
  readonly suspicions: readonly Suspicion[] | null;
}

/** How answers are read and what is made of them. */
export interface EstimateOptions {
  /** The form that was asked. @default the one form that the answered items leave no doubt about */
  readonly form?: string;
  /** Digest of the form; needed with an array of answers. */
  readonly formDigest?: string;
  /** Digest of the bundle that the answers belong to; another is an error. */
  readonly digest?: string;
  /** Confidence level of the intervals, in (0,1). @default 0.95 */
  readonly level?: number;
  /** Content hashes of the answered items, where the harness knows them. */
  readonly hashes?: Readonly<Record<string, string>> | ReadonlyMap<string, string>;
  /** Effect of a content hash other than the bundle's: an error, or the answer counts as missing. @default "error" */
  readonly onChangedItem?: "error" | "drop";
}
