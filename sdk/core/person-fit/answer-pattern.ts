import type { AbilityEstimate } from "../ability/map.ts";
import { anchorMean } from "../estimators/predicted-means.ts";
import type { AnsweredSample } from "../estimators/types.ts";
import type { ItemBank } from "../irt/item-bank.ts";
import { answerCurves, brokenRun, lzStar, MeanSquares, preknowledge } from "./statistics.ts";

/** How a model's answers to the anchors of a scenario lie against what its ability lets expect. */
export interface AnswerPattern {
  /** {@link lzStar}: low where right and wrong answers don't follow difficulty. */
  readonly lzStar: number | null;
  /** Mean square, 1 is expected: high where answers near the model's level are erratic. */
  readonly infit: number | null;
  /** The same of standardised residuals: high where answers far from the model's level are unexpected. */
  readonly outfit: number | null;
  /** {@link preknowledge}: high where the model is right on what it should get wrong. */
  readonly preknowledge: number | null;
  /** {@link brokenRun}, in nats: above 0 where hardly anything is right, and no source model is that weak. */
  readonly brokenRun: number;
}

/**
 * The statistics of one scenario's answers.
 * @param ability - posterior mode that these answers, and maybe others, gave
 * @param sample - the answered anchors
 * @param worst - lowest full score of the source models, in [0,1]
 * @param curves - of the answers at that ability
 */
export function answerPattern(
  bank: ItemBank,
  ability: Pick<AbilityEstimate, "theta" | "covariance">,
  sample: AnsweredSample,
  worst: number,
  curves = answerCurves(bank, ability.theta, sample),
): AnswerPattern {
  const squares = new MeanSquares();
  for (let j = 0; j < sample.items.length; j++) squares.add(sample.scores[j]!, curves.p[j]!);
  const { infit, outfit } = squares.fit;
  return {
    lzStar: lzStar(bank, ability, sample, curves),
    infit: finiteOrNull(infit),
    outfit: finiteOrNull(outfit),
    preknowledge: preknowledge(bank, ability.theta, sample, curves),
    brokenRun: brokenRun(anchorMean(sample), sample.items.length, worst),
  };
}

/** JSON has no NaN. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Explanations of a suspicious pattern. */
export const SUSPICIONS = ["memorised", "guessing", "broken"] as const;

/** An explanation of an unusual pattern of answers. */
export type Suspicion = (typeof SUSPICIONS)[number];

/**
 * Share of new models like the sources that are flagged by mistake, `memorised` and `guessing` together
 * (docs/decisions/intervals.md).
 */
export const FALSE_ALARMS = 0.02;

/**
 * Where a pattern becomes suspicious, from source models that were held out of every step (split conformal). Theoretical
 * quantiles don't hold: real models' lz has standard deviations up to 2.
 */
export interface PatternThresholds {
  /** Held-out models behind them. */
  readonly models: number;
  /** `guessing` below. */
  readonly lzStar: number;
  /** `memorised` above. */
  readonly preknowledge: number;
  /**
   * The same two for a model stronger than any source, from held-out models stronger than their fold's sources: what such
   * models get right surprises more. Null where none were held out.
   */
  readonly stronger: {
    readonly lzStar: number;
    readonly preknowledge: number;
    /** How far beyond their fold's sources the strongest of them lay, in widths of these sources' range; absent: any. */
    readonly leap?: number;
  } | null;
  /** `broken` above, nats: at least 0, and no held-out model reached it. */
  readonly brokenRun: number;
  /** The value that a share {@link FALSE_ALARMS} of models like the sources exceeds; for information only, no flag rests on it. */
  readonly infit: number;
  readonly outfit: number;
}

/**
 * The suspicions that a pattern raises; empty where there are none.
 * @param leap - `leapOf` a model that looks stronger than any source; null for another
 * @returns null where no model that far beyond was held out: honest ones surprise there, too
 * @example suspicions({ lzStar: -1, infit: 1, outfit: 1, preknowledge: 3, brokenRun: -20 }, { models: 80, lzStar: -4, preknowledge: 2, stronger: null, brokenRun: 0, infit: 1.3, outfit: 2 }, null).join() // "memorised"
 */
export function suspicions(
  pattern: AnswerPattern,
  thresholds: PatternThresholds,
  leap: number | null,
): Suspicion[] | null {
  const limits = leap === null ? thresholds : thresholds.stronger;
  if (limits === null || leap! > (thresholds.stronger?.leap ?? Infinity)) return null;
  const { lzStar, preknowledge } = limits;
  const isPresent: Record<Suspicion, boolean> = {
    memorised: pattern.preknowledge !== null && pattern.preknowledge > preknowledge,
    guessing: pattern.lzStar !== null && pattern.lzStar < lzStar,
    broken: pattern.brokenRun > thresholds.brokenRun,
  };
  return SUSPICIONS.filter((suspicion) => isPresent[suspicion]);
}
