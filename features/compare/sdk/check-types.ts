import type { ComparedModel } from "./types.ts";
import type { Estimate, EstimateOptions, Integer } from "../../../sdk/estimate/types.ts";

/** The rules of a check. At least one of `baselines` and `minScore`. */
export interface CheckOptions extends Pick<EstimateOptions, "form" | "onChangedItem"> {
  /** Earlier answers to the same form; of several runs each item's mean counts, which has less noise. */
  readonly baselines?: readonly ComparedModel[];
  /** The largest drop against the baselines that is allowed, a fraction in [0,1). @default 0.01 */
  readonly maxDrop?: number;
  /** The lowest score that is allowed, a fraction in [0,1]. */
  readonly minScore?: number;
  /** How often a year a check may fail that should not: see {@link CheckResult.alarms}. @default 1 */
  readonly alarmsPerYear?: number;
  /** Checks a year. @default 365 */
  readonly runsPerYear?: number;
  /** One-sided confidence that `passed` needs, in (0.5,1). @default 0.95 */
  readonly level?: number;
  /** Check also on a version that its publisher took back. @default false */
  readonly allowYanked?: boolean;
}

/** `undecided` is "can't tell": the answers neither show what is forbidden nor rule it out. */
export type CheckVerdict = "passed" | "regressed" | "undecided";

/** The drop against the baselines, S_before − S_now, fractions; above 0 where the model got worse. */
export interface DropCheck {
  readonly verdict: CheckVerdict;
  /** Null where a scenario has no answer that all gave. */
  readonly drop: number | null;
  /** With the alarms' probability the true drop is below. Null without an error; `reason` says why. */
  readonly low: number | null;
  /** With confidence `level` the true drop isn't larger. */
  readonly high: number | null;
  readonly reason: string | null;
  readonly maxDrop: number;
  /** False alarms a year to be expected of a model that didn't change at all: fewer than allowed where `maxDrop` is above 0. */
  readonly alarmsWithoutChange: number | null;
  /** The true drop that one such check finds in four of five cases. */
  readonly found: number | null;
}

/** The score against the lowest allowed one, fractions. */
export interface MinimumCheck {
  readonly verdict: CheckVerdict;
  readonly score: number | null;
  /** With confidence `level` the score isn't lower. Null without an interval. */
  readonly low: number | null;
  /** With the alarms' probability the score is above. */
  readonly high: number | null;
  readonly reason: string | null;
  readonly minScore: number;
}

/** The result of `checkFromAnchors` and of `anchoreval check`. */
export interface CheckResult extends Pick<Estimate, "benchmark" | "version" | "form" | "digest" | "warnings"> {
  /** `regressed` where one rule says so, `passed` where all do. */
  readonly verdict: CheckVerdict;
  /** Null without baselines. */
  readonly drop: DropCheck | null;
  /** Null without a lowest score. */
  readonly minimum: MinimumCheck | null;
  /** At most so many checks a year fail of a model whose true drop is just allowed, or whose score is. */
  readonly alarms: {
    readonly perYear: number;
    readonly runsPerYear: number;
    /** `perYear` / `runsPerYear`, of one check. */
    readonly probability: number;
  };
  readonly level: number;
  /** Items that count: answered by a run of either side. */
  readonly answered: Integer;
  readonly of: Integer;
}
