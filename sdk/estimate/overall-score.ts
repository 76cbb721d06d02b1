import { ERROR_LEVELS } from "../core/bundle/names.ts";
import type { FormManifest, Manifest, MeasuredErrors } from "../core/bundle/manifest.ts";
import { designInterval, inflated, weightedScore, type SampledScore } from "../core/inference/score-interval.ts";
import type { Bounds } from "../core/estimators/answered-sample.ts";
import { partlyCorrectedMean } from "../core/estimators/blend-estimates.ts";
import type { SeenModels, Tightening } from "../core/estimators/types.ts";
import type { SamplingVariance } from "../core/inference/sampling-variance.ts";
import type { ModelEstimate } from "../core/scoring/scoring-model.ts";
import type { Estimate, ScenarioResult } from "./types.ts";

/** A scenario's result with what its interval rests on. */
export interface ScoredScenario {
  readonly result: ScenarioResult;
  readonly bounds: Bounds;
  /** Null for a purposive choice of anchors. */
  readonly sampling: SamplingVariance | null;
  /** The half-widths of its interval by held-out models; null where nothing was estimated. */
  readonly tightening: Tightening | null;
}

/** An interval, or why there is none. */
type Stated = Pick<ScenarioResult, "interval" | "reason">;

/** The interval by the draw of the anchors; conformal where held-out models have narrowed it. */
export function drawnInterval(
  { estimator }: FormManifest,
  scenarios: readonly Pick<ScoredScenario, "tightening">[],
  sampled: SampledScore,
  level: number,
): Stated {
  const tightened = scenarios.some(
    ({ tightening }) => tightening !== null && (tightening.inside !== 1 || tightening.outside !== 1),
  );
  const method = estimator === "gate" && tightened ? "conformal" : "design-based";
  return { interval: { ...designInterval(sampled, level), level, method }, reason: null };
}

/** The interval by the errors that held-out models showed at this level. */
export function measuredInterval(
  score: number,
  { low, high }: Bounds,
  measured: MeasuredErrors | undefined,
  level: number,
  what: string,
): Stated {
  const position = ERROR_LEVELS.indexOf(level as (typeof ERROR_LEVELS)[number]);
  const error = measured?.interpolation?.absoluteError[position] ?? null;
  if (error === null) return { interval: null, reason: `too few source models to measure the ${what} at this level` };
  return {
    interval: {
      low: Math.max(low, score - error),
      high: Math.min(high, score + error),
      level,
      method: "cross-validated",
    },
    reason: null,
  };
}

/**
 * Overall score Σ W_s·S_s / Σ W_s and its interval: from the scenarios' variances, since they are drawn
 * independently, times what held-out models showed their errors to go together by; for other forms the overall error was measured itself.
 */
export function overallScore(
  manifest: Manifest,
  form: FormManifest,
  scenarios: ReadonlyMap<string, ScoredScenario>,
  level: number,
): Pick<Estimate, "score" | "interval" | "reason"> {
  const missing = manifest.scenarios.filter(({ id }) => scenarios.get(id)?.result.score == null).map(({ id }) => id);
  if (missing.length > 0) return { score: null, interval: null, reason: `no estimate for ${missing.join(", ")}` };
  const total = manifest.scenarios.reduce((sum, { weight }) => sum + weight, 0);
  const parts = manifest.scenarios.map(({ id, weight }) => ({ id, share: weight / total, ...scenarios.get(id)! }));
  const score = Math.min(
    1,
    parts.reduce((sum, { share, result }) => sum + share * result.score!, 0),
  ); // shares sum to 1 up to rounding

  const without = parts.filter(({ result }) => result.interval === null);
  if (without.length > 0)
    return { score, interval: null, reason: `no interval for ${without.map((part) => part.id).join(", ")}` };
  if (parts.every(({ result }) => result.exact))
    return { score, interval: { low: score, high: score, level, method: "exact" }, reason: null };
  if (form.interval === "design") {
    const sampled = weightedScore(
      parts.map(({ share, result, bounds, sampling }) => ({
        share,
        score: result.score!,
        bounds,
        sampling: sampling!,
      })),
    );
    return { score, ...drawnInterval(form, parts, inflated(sampled, form.overall?.inflation ?? 1), level) };
  }
  return { score, ...measuredInterval(score, { low: 0, high: 1 }, form.overall?.measured, level, "overall error") };
}

/**
 * Where a model stands among the source models by the weighted mean over all scenarios: of its partly corrected means,
 * from the answers to all of them. A model that is stronger than any seen there is unlike them also in a scenario where
 * one of them is as good.
 * @returns null where the form has no such range, or the answers can't be read jointly
 */
export function overallPlace({ scenarios }: Manifest, form: FormManifest, model: ModelEstimate): SeenModels["overall"] {
  const seen = form.overall?.seen ?? null;
  if (seen === null || !model.joint) return null;
  let sum = 0;
  let total = 0;
  for (const { id, weight } of scenarios) {
    sum += weight * partlyCorrectedMean(model.scenario(id, "joint")!.base);
    total += weight;
  }
  return { ...seen, score: sum / total };
}
