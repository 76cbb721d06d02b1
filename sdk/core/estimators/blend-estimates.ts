import { normalCdf } from "../numeric/distributions.ts";
import { clamp, type Bounds } from "./answered-sample.ts";
import { blendedMean } from "./predicted-means.ts";
import {
  BASE_ESTIMATORS,
  type BaseScores,
  type Blend,
  type ByEstimator,
  type SeenModels,
  type SeenScores,
} from "./types.ts";

/** Share of p-irt-dr's correction that goes into a model's place among the source models. */
const CORRECTION = 0.5;

/**
 * By how many of its errors the partly corrected mean must lie inside the widest range known to be as likely inside as
 * out: the stack fails outside by more than the partly corrected mean does inside.
 */
const MARGIN = 0.5;

/** Probability that the full score lies above, or below, those of all source models. */
type Outside = Readonly<Record<"above" | "below", number>>;

/** The estimate outside the range seen, and what it is mixed of: o = w·gp-irt + (1−w)·aipw. */
export interface OutsideEstimate {
  /** o. */
  readonly score: number;
  /** w, in [0,1]. */
  readonly weight: number;
  /** gp-irt − aipw. */
  readonly difference: number;
}

/** Base estimates with their blends. */
export interface BlendedEstimates {
  readonly estimators: ByEstimator<number>;
  /**
   * Probability that the full score lies above or below every source model's, in this scenario or over all that are
   * estimated together, whichever is the surer.
   */
  readonly outside: Outside;
  /** P, the share of the gate that stands outside the range, in [0,1]. */
  readonly share: number;
  /** By how much the stack and the estimate outside the range differ, between which the gate stands. */
  readonly gap: number;
  readonly beyond: OutsideEstimate;
}

/**
 * The estimators that blend others.
 * `gp-irt`: λ·anchor-mean + (1−λ)·p-irt. `stack`: the convex blend of {@link BASE_ESTIMATORS} that was best on
 * held-out source models. `gate`: (1−P)·stack + P·o, trusting the stack inside the range seen and o
 * ({@link outsideEstimate}) outside it. P = Φ((c − best)/rmse + ½) + Φ((worst − c)/rmse + ½), c = ½·p-irt-dr + ½·p-irt: the
 * chance of being outside, of half an error inside already. Where scenarios are estimated together, P is the larger of
 * this without the halves and of the same, with them, of the mean over all scenarios: a model stronger than any seen is
 * unlike them also in a scenario where one of them is as good.
 * All are clamped to the bounds that the answers prove.
 * @param seen - the source models' range
 * @param bounds - what the answers alone prove
 */
export function blendEstimates(
  base: BaseScores,
  blend: Omit<Blend, "tightening">,
  seen: SeenModels,
  bounds: Bounds,
): BlendedEstimates {
  const stack = BASE_ESTIMATORS.reduce((sum, id) => sum + blend.stack[id] * base[id], 0);
  const corrected = partlyCorrectedMean(base);
  const gpIrt = blendedMean(blend.lambda, base, bounds);
  const beyond = outsideEstimate(base, gpIrt, blend, seen);
  const alone = seen.overall === null || blend.overallRmse === null;
  const here = placeOf(corrected, seen, blend.rmse, alone ? MARGIN : 0);
  const overall = alone ? here : placeOf(seen.overall.score, seen.overall, blend.overallRmse, MARGIN);
  const { outside, share } = overall.share > here.share ? overall : here;
  return {
    estimators: {
      "anchor-mean": base["anchor-mean"],
      "p-irt": base["p-irt"],
      "gp-irt": gpIrt,
      "p-irt-dr": base["p-irt-dr"],
      gaussian: base.gaussian,
      "ridge-gap": base["ridge-gap"],
      aipw: base.aipw,
      ...(base["score-map"] !== undefined && { "score-map": base["score-map"] }),
      stack: clamp(stack, bounds),
      gate: clamp((1 - share) * stack + share * beyond.score, bounds),
    },
    outside,
    share,
    gap: Math.abs(stack - beyond.score),
    beyond,
  };
}

/**
 * The estimate outside the range seen: o = w·gp-irt + (1−w)·aipw, what the response model says and what the answers alone
 * say, w by their errors on source models that were stronger than those learned from. Where c, the partly corrected mean,
 * lies further beyond the range than much of its width, no such error was seen: with d its distance from the range,
 * ℓ² = 2(d² − rmse²)/(best − worst)² divides w where it exceeds 1.
 * @param gpIrt - {@link blendedMean}
 */
export function outsideEstimate(
  base: BaseScores,
  gpIrt: number,
  { outside = 0.5, rmse }: Pick<Blend, "outside" | "rmse">,
  { worst, best }: SeenScores,
): OutsideEstimate {
  const place = partlyCorrectedMean(base);
  const distance = Math.max(0, place - best, worst - place);
  const leap = (2 * (distance ** 2 - rmse ** 2)) / Math.max(best - worst, 1e-9) ** 2;
  const weight = outside / Math.max(1, leap);
  const difference = gpIrt - base.aipw;
  return { score: base.aipw + weight * difference, weight, difference };
}

/** The chance that a score lies outside a range, and P, for which the range is narrower by `margin` errors at either end. */
function placeOf(
  score: number,
  { worst, best }: SeenScores,
  rmse: number,
  margin: number,
): { outside: Outside; share: number } {
  const outside = outsideProbability(score, [worst, best], rmse);
  const beyond =
    margin === 0 ? outside : outsideProbability(score, [worst + margin * rmse, best - margin * rmse], rmse);
  return { outside, share: Math.min(1, beyond.above + beyond.below) };
}

/**
 * p-irt-dr with half of its correction: ½·p-irt-dr + ½·p-irt. What the anchors' residuals say of the other items is
 * half noise, so that a model's place among the source models is surer with half of it.
 */
export function partlyCorrectedMean(base: BaseScores): number {
  return CORRECTION * base["p-irt-dr"] + (1 - CORRECTION) * base["p-irt"];
}

/**
 * Probability that the full score lies above the best and below the worst source model's, the estimate's error
 * being Gaussian: P_above = Φ((ŝ − best)/rmse), P_below = Φ((worst − ŝ)/rmse).
 * @param estimate - estimate of the score that holds outside of the range too
 * @param sourceScores - the source models' full scores, ascending
 * @param rmse - its root mean square error on held-out source models, as a fraction
 */
export function outsideProbability(estimate: number, sourceScores: ArrayLike<number>, rmse: number): Outside {
  const scale = Math.max(rmse, 1e-9);
  return {
    above: normalCdf((estimate - sourceScores[sourceScores.length - 1]!) / scale),
    below: normalCdf((sourceScores[0]! - estimate) / scale),
  };
}
