import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { partOf } from "../../../sdk/core/bundle/part.ts";
import { estimatorFigure } from "../../../sdk/core/estimators/types.ts";
import { percentile } from "../../../sdk/core/inference/ranks.ts";
import type { SamplingVariance } from "../../../sdk/core/inference/sampling-variance.ts";
import { studentTCdf, studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { scenarioShares, type ScoredScenario } from "../../../sdk/estimate/overall-score.ts";
import type { Estimate, EstimateWarning, ScenarioResult } from "../../../sdk/estimate/types.ts";
import { type UnaskedManifest, unaskedPlace } from "../core.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

/** ε: how far from 0 and 1 scores are kept, so that their logits are finite. */
const MARGIN = 0.01;

/** Logit of a score, φ(S) = log((S + ε)/(1 − S + ε)), ε = .01. @param score - in [0,1] */
export function scoreLogit(score: number): number {
  return Math.log((score + MARGIN) / (1 - score + MARGIN));
}

/** The score of a logit, in [0,1]. */
export function logitScore(logit: number): number {
  return Math.min(1, Math.max(0, (1 + 2 * MARGIN) / (1 + Math.exp(-logit)) - MARGIN));
}

/** φ′(S). */
export function logitSlope(score: number): number {
  return (1 + 2 * MARGIN) / ((score + MARGIN) * (1 - score + MARGIN));
}

/** A scenario's score as its answers tell it, and the variance of its error. */
export interface KnownScore {
  readonly score: number;
  readonly variance: number;
}

/** A score with its interval's variance and bias, or with the error that was measured of such ones where it has none. */
export function knownScore(score: number, sampling: SamplingVariance | null, rmse: number): KnownScore {
  return { score, variance: sampling ? sampling.variance + sampling.bias ** 2 : rmse ** 2 };
}

/** Logits of all scenarios' full scores, given some scores. */
interface PredictedLogits {
  readonly mean: readonly number[];
  /** S×S in rows. */
  readonly covariance: readonly number[];
  /** The known scores, as a whole, lie further out than one source model in all: nothing was measured there. */
  readonly outside: boolean;
}

/**
 * Logits of full scores given some: φ ~ N(m, C) over models, and a known score is told with an error of variance φ′²V. Each
 * is taken in turn: with v = C_aa + φ′²V, m ← m + C_a·(φ̂_a − m_a)/v, C ← C − C_a·C_aᵀ/v. Outside is where F_t of
 * |Σ_A(φ̂ − m)|/√ΣC_AA, M − 1 degrees of freedom, exceeds 1 − 1/(M + 1).
 * @param model - m, C (positive definite), and the number of source models M that they come from
 * @param scores - by scenario, in the model's order; null = unknown
 * @see Anderson & Moore (1979), Optimal Filtering, §3.1
 * @example
 * predictLogits({ models: 60, mean: [0, 0], covariance: [1, 0.8, 0.8, 1] }, [{ score: 0.7, variance: 0 }, null]).mean[1] // ≈ 0.66
 */
export function predictLogits(
  { models, mean: means, covariance: prior }: Pick<UnaskedManifest, "models" | "mean" | "covariance">,
  scores: readonly (KnownScore | null)[],
): PredictedLogits {
  const [mean, covariance, size] = [[...means], [...prior], means.length];
  let [distance, spread] = [0, 0];
  scores.forEach((part, a) => {
    if (part === null) return;
    const logit = scoreLogit(part.score);
    distance += logit - means[a]!;
    scores.forEach((other, b) => (spread += other ? prior[a * size + b]! : 0));
    const column = means.map((_, s) => covariance[s * size + a]!);
    const variance = column[a]! + logitSlope(part.score) ** 2 * part.variance;
    const gap = (logit - mean[a]!) / variance;
    column.forEach((one, s) => {
      mean[s] = mean[s]! + one * gap;
      column.forEach((other, t) => (covariance[s * size + t] = covariance[s * size + t]! - (one * other) / variance));
    });
  });
  const outside = studentTCdf(Math.abs(distance) / Math.sqrt(spread), models - 1) > 1 - 1 / (models + 1);
  return { mean, covariance, outside };
}

/**
 * Variance of the error of ΣW·S where some scores are predicted from the others: κ²Σ_A W²V + Σ d_s·d_t·P_st over all pairs
 * but those of two known scenarios, d = W·f/φ′(S).
 * @param parts - W, the score, and f, 1 where it is known
 * @param covariance - P, of {@link predictLogits}
 * @param inflation - κ
 */
export function partlyPredictedVariance(
  parts: readonly { readonly share: number; readonly score: number; readonly factor: number }[],
  scores: readonly (KnownScore | null)[],
  covariance: readonly number[],
  inflation: number,
): number {
  const moves = parts.map(({ share, score, factor }) => (share * factor) / logitSlope(score));
  let sum = 0;
  parts.forEach(({ share }, s) => {
    if (scores[s]) sum += (share * inflation) ** 2 * scores[s].variance;
    parts.forEach((_, k) => {
      if (!scores[s] || !scores[k]) sum += moves[s]! * moves[k]! * covariance[s * parts.length + k]!;
    });
  });
  return Math.max(0, sum); // but for rounding
}

/**
 * An estimate with scores for the scenarios that weren't asked, marked `predicted`, and an overall score that counts them:
 * where the bundle has measured such predictions, every scenario is loaded, and some have scores with intervals. Else the
 * estimate as it is. Intervals are f·t·√P about the logit, f the bundle's factor.
 * @param scored - by scenario, what the estimate's intervals rest on
 */
export function withPredictedScenarios(
  { manifest, scenarios: loaded }: Bundle,
  estimate: Estimate,
  scored: ReadonlyMap<string, ScoredScenario>,
  level: number,
): Estimate {
  const unasked = partOf(manifest, unaskedPlace);
  const shares = scenarioShares(manifest);
  if (!unasked || scored.size < shares.length) return estimate;
  const form = manifest.forms.find(({ id }) => id === estimate.form)!;
  const parts = shares.map((scenario) => ({ ...scenario, ...scored.get(scenario.id)! }));
  const scores = parts.map(({ id, result, sampling }): KnownScore | null => {
    if (result.interval === null) return null;
    const measured = lookUp(form.scenarios, id)!.measured.interpolation;
    const rmse = measured ? estimatorFigure(measured.estimators, form.estimator).rmse : 0;
    return knownScore(result.score!, sampling, rmse);
  });
  if (scores.every((part) => part === null) || parts.every(({ result }) => result.score !== null)) return estimate;

  const { mean, covariance, outside } = predictLogits(unasked, scores);
  const t = studentTQuantile(0.5 + level / 2, unasked.models - 1);
  const warnings: EstimateWarning[] = [];
  const results = parts.map(({ id, result }, s): ScenarioResult => {
    if (result.score !== null) return result; // a few answers tell more than none
    const measured = lookUp(lookUp(unasked.forms, form.id), id);
    if (!measured || outside) {
      const why = measured ? " for a model so far from the sources" : "";
      return { ...result, reason: `${result.reason}, and no prediction was measured${why}` };
    }
    warnings.push({
      code: "predicted_scenario",
      scenario: id,
      message: `${id}: not asked; predicted from the other scenarios' scores, with a typical error of ${(100 * measured.mae).toFixed(1)} points on models like the sources.`,
    });
    const half = t * measured.factor * Math.sqrt(covariance[s * (parts.length + 1)]!);
    const at = (shift: number): number => logitScore(mean[s]! + shift);
    const score = at(0);
    return {
      ...result,
      predicted: true,
      score,
      interval: { low: at(-half), high: at(half), level, method: "predicted" },
      reason: null,
      percentile: percentile(score, loaded.get(id)!.sourceScores),
    };
  });
  const filled = {
    ...estimate,
    warnings: [...estimate.warnings, ...warnings],
    scenarios: Object.fromEntries(parts.map(({ id }, s) => [id, results[s]!])),
  };
  if (results.some(({ score }) => score === null)) return filled;
  const score = parts.reduce((sum, { share }, s) => sum + share * results[s]!.score!, 0);
  const lacking = parts.flatMap(({ id }, s) => (results[s]!.interval === null ? [id] : []));
  if (lacking.length > 0) return { ...filled, predicted: true, score, reason: `no interval for ${lacking.join(", ")}` };
  const factor = (s: number): number => lookUp(lookUp(unasked.forms, form.id), parts[s]!.id)!.factor;
  const counted = parts.map(({ share }, s) => ({
    share,
    score: results[s]!.score!,
    factor: scores[s] ? 1 : factor(s),
  }));
  const variance = partlyPredictedVariance(counted, scores, covariance, form.overall?.inflation ?? 1);
  const half = t * Math.sqrt(variance);
  const bound = (end: "low" | "high"): number => parts.reduce((sum, { share, bounds }) => sum + share * bounds[end], 0);
  return {
    ...filled,
    predicted: true,
    score,
    interval: {
      low: Math.max(score - half, bound("low")),
      high: Math.min(score + half, bound("high")),
      level,
      method: "predicted",
    },
    reason: null,
  };
}
