import type { AdaptiveState } from "../core/state.ts";
import type { EstimateWarning, Integer } from "../../../sdk/estimate/types.ts";
import type { PlainResponses, Responses } from "../../../sdk/tables/item-trials.ts";

/** The goal and the limits of an adaptive evaluation. */
export interface AdaptiveOptions {
  /** 2: two models are asked the same items, and the difference of their scores is followed too. @default 1 */
  readonly models?: 1 | 2;
  /** Of the benchmark's scenarios; the score is their weighted mean. @default all */
  readonly scenarios?: readonly string[];
  /**
   * `score`: items are drawn with known probabilities, so that the score is unbiased. `ability`: the most informative
   * ones are chosen (classic computerised adaptive testing); there is no score then. @default "score"
   */
  readonly goal?: AdaptiveGoal;
  /**
   * Items to ask at once. @default 10; more where the budget would take more than 20 batches, unless a half-width is the
   * only rule: with a threshold, or one model to be better, no more than 20 may be announced
   */
  readonly batch?: number;
  /** Items to ask at most. @default 200, or all where these are fewer */
  readonly budget?: number;
  /** Confidence level of the intervals, in (0,1). @default 0.95 */
  readonly level?: number;
  /** When to stop before the budget is spent: as soon as one of these is met. */
  readonly stop?: StopRules;
}

/** The quantity that an adaptive evaluation measures. */
type AdaptiveGoal = "score" | "ability";

/** When an adaptive evaluation ends; the first rule that is met ends it. */
export interface StopRules {
  /** The score's interval, or the difference's of two models, is at most this much to either side; a fraction. */
  readonly halfWidth?: number;
  /** The score is surely above this, or surely below. One model. */
  readonly threshold?: number;
  /** The score of one of two runs on all items is surely the higher. */
  readonly better?: boolean;
  /** Every coordinate's standard error of the ability is at most this. Goal `ability`. */
  readonly standardError?: number;
}

/** The options with everything decided that is decided at the beginning. */
export interface AdaptivePlan extends Required<AdaptiveOptions> {
  /**
   * Level of the interval at every look: with a rule that looks at the score, `threshold` or `better`, the one that gives all
   * looks together `level`; otherwise `level` itself.
   */
  readonly lookLevel: number;
}

/** One item to ask. */
export interface AdaptiveItem {
  readonly item_id: string;
  readonly scenario: string;
  readonly subscenario?: string;
  /** Content hash, where the bundle has one. */
  readonly hash?: string;
}

/** An item to ask, maybe not for the first time. */
export interface TrialItem extends AdaptiveItem {
  /** Which trial of the item this is, where it was asked before: 2, 3, … */
  readonly trial?: number;
}

/** Where an adaptive evaluation stands after a batch: the next items, and what the answers say so far. */
export interface AdaptiveStep {
  readonly benchmark: string;
  readonly version: string;
  /** Digest of the bundle, `sha256:…`. */
  readonly digest: string;
  /** To ask next; none once it has stopped. */
  readonly items: readonly AdaptiveItem[];
  readonly stopped: AdaptiveStop | null;
  readonly plan: AdaptivePlan;
  /** Items asked so far, those to ask next left out. */
  readonly asked: number;
  /** One model. */
  readonly model: AdaptiveModel | null;
  /** Two models, on the same items. */
  readonly pair: AdaptivePair | null;
  readonly warnings: readonly EstimateWarning[];
}

/** An interval that holds whichever of the evaluation's own rules ends it. */
export interface AdaptiveInterval {
  readonly low: number;
  readonly high: number;
  /** Confidence level, in (0,1). */
  readonly level: number;
  /**
   * `design-based`: from the random draw of the items. `sequential`: the same, wider, so that it holds at all announced
   * looks together, where a rule looks at the score. `exact`: every item was answered.
   */
  readonly method: "design-based" | "sequential" | "exact";
}

/** A running score, unbiased as long as nothing but the budget ends the evaluation. */
export interface AdaptiveScore {
  /** Null before the first answer, and where abilities are what is looked for. */
  readonly score: number | null;
  readonly interval: AdaptiveInterval | null;
  /** Why score or interval is null. */
  readonly reason: string | null;
}

/** One model's results. */
export interface AdaptiveModel extends AdaptiveScore {
  readonly answered: Integer;
  readonly scenarios: Readonly<Record<string, AdaptiveScenario>>;
  /** By bank, on its scale. */
  readonly abilities: Readonly<Record<string, AdaptiveAbility>>;
}

/** One scenario's running score. */
interface AdaptiveScenario extends AdaptiveScore {
  readonly answered: Integer;
}

/** An ability on its bank's scale, one number a dimension. */
interface AdaptiveAbility {
  readonly theta: readonly number[];
  readonly standardError: readonly number[];
}

/** Two models that are asked the same items. */
export interface AdaptivePair extends Pick<AdaptiveScore, "interval" | "reason"> {
  readonly a: AdaptiveModel;
  readonly b: AdaptiveModel;
  /** S_B − S_A, in [−1,1]; null before the first item that both answered. */
  readonly difference: number | null;
}

/** All that the next step needs beside the bundle: plain JSON. */
export interface AdaptiveSession {
  /** Of the bundle. */
  readonly digest: string;
  readonly plan: AdaptivePlan;
  /** Batches drawn so far. */
  readonly batches: number;
  readonly state: AdaptiveState;
}

/** Answers to the items of one step: a score in [0,1] for each, null where there is no answer. */
export type AdaptiveAnswers =
  | { readonly responses: Responses }
  | { readonly a: { readonly responses: Responses }; readonly b: { readonly responses: Responses } };

/** Why it ended. */
export interface AdaptiveStop {
  readonly rule: "half-width" | "threshold" | "better" | "standard-error" | "budget" | "all-items";
  readonly verdict: "above" | "below" | "a-better" | "b-better" | null;
  readonly message: string;
}

/** A request for the next items: `begin`, or `state` with the answers to the last ones. */
export interface NextItemsRequest {
  readonly begin?: AdaptiveOptions;
  readonly state?: string;
  /** Of one model. */
  readonly responses?: PlainResponses;
  /** Of two. */
  readonly a?: { readonly responses: PlainResponses };
  readonly b?: { readonly responses: PlainResponses };
}
