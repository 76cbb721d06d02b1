import { ERROR_LEVELS } from "../core/bundle/names.ts";
import type { FormManifest, Manifest, MeasuredErrors } from "../core/bundle/manifest.ts";
import { designInterval, inflated, weightedScore } from "../core/inference/score-interval.ts";
import { overallPlace } from "../core/estimators/blend-estimates.ts";
import type { SeenModels, Tightening } from "../core/estimators/types.ts";
import type { GatedVariance, SamplingVariance } from "../core/inference/sampling-variance.ts";
import type { ModelEstimate } from "../core/scoring/scoring-model.ts";
import type { Estimate, Interval, ScenarioResult } from "./types.ts";

/** A scenario's result with what its interval rests on. */
export interface ScoredScenario {
  readonly result: ScenarioResult;
  readonly bounds: { readonly low: number; readonly high: number };
  /** Null for a purposive choice of anchors. */
  readonly sampling: SamplingVariance | null;
  /** Its interval's tightening by held-out models; null where nothing was estimated. */
  readonly tightening: Tightening | null;
  /** How its variance follows from the draw's where the score is the gate; null where it is another, or exact. */
  readonly gated: GatedVariance | null;
}

/** Answered share of a scenario's anchors' weight below which it has no part in an overall score. */
const LEAST_OVERALL_SHARE = 0.5;

/** The benchmark's scenarios with their shares W_s / ΣW_s of the overall score. */
export function scenarioShares({
  scenarios,
}: Pick<Manifest, "scenarios">): { readonly id: string; readonly items: number; readonly share: number }[] {
  const total = scenarios.reduce((sum, { weight }) => sum + weight, 0);
  return scenarios.map(({ id, items, weight }) => ({ id, items, share: weight / total }));
}

/** Items that were answered and asked, over all scenarios. */
export function countAnswers(counts: Iterable<{ readonly answered: number; readonly of: number }>): {
  answered: number;
  of: number;
} {
  const sum = { answered: 0, of: 0 };
  for (const { answered, of } of counts) {
    sum.answered += answered;
    sum.of += of;
  }
  return sum;
}

/** Name of an interval from the draw of the anchors: by whether held-out models have narrowed it. */
export function drawnMethod(
  form: FormManifest,
  scenarios: readonly Pick<ScoredScenario, "tightening">[],
): "design-based" | "conformal" {
  const tightened = scenarios.some(
    ({ tightening }) => tightening !== null && (tightening.inside !== 1 || tightening.outside !== 1),
  );
  return form.estimator === "gate" && tightened ? "conformal" : "design-based";
}

/**
 * Overall score Σ W_s·S_s / Σ W_s and its interval: from the scenarios' variances, since they are drawn
 * independently, times what held-out models showed their errors to go together by; for other forms the overall error was
 * measured itself. Of one scenario it is that scenario's.
 */
export function overallScore(
  manifest: Manifest,
  form: FormManifest,
  scenarios: ReadonlyMap<string, ScoredScenario>,
  level: number,
): Pick<Estimate, "score" | "interval" | "reason"> {
  const only = manifest.scenarios.length === 1 && scenarios.get(manifest.scenarios[0]!.id)?.result;
  if (only && only.score !== null) return { score: only.score, interval: only.interval, reason: only.reason };
  const missing = manifest.scenarios.filter(({ id }) => scenarios.get(id)?.result.score == null).map(({ id }) => id);
  if (missing.length > 0) return { score: null, interval: null, reason: `no estimate for ${missing.join(", ")}` };
  for (const [id, { result }] of scenarios)
    if (result.answeredShare < LEAST_OVERALL_SHARE)
      return { score: null, interval: null, reason: `${id} rests on ${result.answered} of ${result.of} anchors` };
  const parts = scenarioShares(manifest).map((part) => ({ ...part, ...scenarios.get(part.id)! }));
  const score = Math.min(
    1,
    parts.reduce((sum, { share, result }) => sum + share * result.score!, 0),
  ); // shares sum to 1 up to rounding

  const unknown = parts.filter(({ result }) => result.interval === null);
  const interval =
    unknown.length > 0
      ? `no interval for ${unknown.map((part) => part.id).join(", ")}`
      : overallInterval(form, score, parts, level);
  return { score, ...stated(interval) };
}

/** An interval, or the reason why there is none, as results have them. */
export function stated(interval: Interval | string): Pick<ScenarioResult, "interval" | "reason"> {
  return typeof interval === "string" ? { interval: null, reason: interval } : { interval, reason: null };
}

function overallInterval(
  form: FormManifest,
  score: number,
  parts: readonly (ScoredScenario & { readonly share: number })[],
  level: number,
): Interval | string {
  if (parts.every(({ result }) => result.exact)) return { low: score, high: score, level, method: "exact" };
  if (form.interval === "design") {
    const sampled = weightedScore(
      parts.map(({ share, result, bounds, sampling }) => ({
        share,
        score: result.score!,
        bounds,
        sampling: sampling!,
      })),
    );
    const bounds = designInterval(inflated(sampled, form.overall?.inflation ?? 1), level);
    return { ...bounds, level, method: drawnMethod(form, parts) };
  }
  const error = form.overall && measuredError(form.overall.measured, level);
  if (error === null) return "too few source models to measure the overall error at this level";
  return { low: Math.max(0, score - error), high: Math.min(1, score + error), level, method: "cross-validated" };
}

/** Half-width of an interval by errors on held-out models; null where it isn't measured at this level. */
export function measuredError({ interpolation }: MeasuredErrors, level: number): number | null {
  return interpolation?.absoluteError[(ERROR_LEVELS as readonly number[]).indexOf(level)] ?? null;
}

/** Where a model stands by its answers to all scenarios; null where the form has no such range, or they can't be pooled. */
export function servedPlace(manifest: Manifest, form: FormManifest, model: ModelEstimate): SeenModels["overall"] {
  const seen = form.overall?.seen;
  if (!seen || !model.pooled) return null;
  return overallPlace(
    seen,
    scenarioShares(manifest).map(({ id, share }) => ({ ...model.scenario(id, "pooled")!, share })),
  );
}
