import { ERROR_LEVELS, type FormManifest, type Manifest } from "../core/bundle/manifest.ts";
import type { Estimate, Interval, ScenarioResult } from "./types.ts";

/**
 * Overall score Σ W_s·S_s / Σ W_s and its interval. Design-based intervals combine in quadrature on either side, since
 * scenarios are drawn independently (MOVER; Zou & Donner 2008, Statistics in Medicine 27, 1693–1702); for purposive
 * forms the overall error was measured itself.
 */
export function overallScore(
  manifest: Manifest,
  form: FormManifest,
  scenarios: Readonly<Record<string, ScenarioResult>>,
  level: number,
): Pick<Estimate, "score" | "interval" | "reason"> {
  const missing = manifest.scenarios.filter(({ id }) => scenarios[id]?.score == null).map(({ id }) => id);
  if (missing.length > 0) return { score: null, interval: null, reason: `no estimate for ${missing.join(", ")}` };
  const total = manifest.scenarios.reduce((sum, { weight }) => sum + weight, 0);
  const parts = manifest.scenarios.map(({ id, weight }) => ({ id, share: weight / total, ...scenarios[id]! }));
  const score = Math.min(
    1,
    parts.reduce((sum, part) => sum + part.share * part.score!, 0),
  ); // shares sum to 1 up to rounding

  const without = parts.filter((part) => part.interval === null);
  if (without.length > 0)
    return { score, interval: null, reason: `no interval for ${without.map((part) => part.id).join(", ")}` };
  if (parts.every((part) => part.exact))
    return { score, interval: { low: score, high: score, level, method: "exact" }, reason: null };
  if (form.interval === "design") {
    const side = (end: "low" | "high"): number =>
      Math.sqrt(parts.reduce((sum, part) => sum + (part.share * (part.score! - part.interval![end])) ** 2, 0));
    const interval: Interval = {
      low: Math.max(0, score - side("low")),
      high: Math.min(1, score + side("high")),
      level,
      method: "design-based",
    };
    return { score, interval, reason: null };
  }
  const error =
    form.overall?.measured.interpolation?.absoluteError[ERROR_LEVELS.indexOf(level as (typeof ERROR_LEVELS)[number])] ??
    null;
  if (error === null)
    return { score, interval: null, reason: "too few source models to measure the overall error at this level" };
  return {
    score,
    interval: { low: Math.max(0, score - error), high: Math.min(1, score + error), level, method: "cross-validated" },
    reason: null,
  };
}
