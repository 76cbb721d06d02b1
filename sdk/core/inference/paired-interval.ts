import { studentTCdf, studentTQuantile } from "../numeric/student-t.ts";
import type { PairedSampling } from "./paired-sampling.ts";
import { satterthwaite } from "./satterthwaite.ts";

/** A difference of two models' scores, S_B − S_A, from the same anchors: of one scenario, or of several together. */
export interface SampledDifference {
  /** In [−1,1]; above 0 where B's score is the higher. */
  readonly difference: number;
  /** What the answers alone prove. */
  readonly bounds: { readonly low: number; readonly high: number };
  readonly sampling: PairedSampling;
}

/**
 * Design-based interval of a difference of scores: D ± t·√V* with Student's t, inside what the answers prove. Turned
 * around it is the interval of S_A − S_B.
 * @param level - confidence level in (0,1)
 * @example pairedInterval({ difference: 0.1, bounds: { low: -1, high: 1 }, sampling: { variance: 0.0025, degrees: 20 } }, 0.95) // ≈ { low: -0.0043, high: 0.2043 }
 */
export function pairedInterval(
  { difference, bounds, sampling }: SampledDifference,
  level: number,
): { low: number; high: number } {
  if (sampling.variance === 0) return { low: difference, high: difference };
  const half = studentTQuantile(0.5 + level / 2, sampling.degrees) * Math.sqrt(sampling.variance);
  return {
    low: Math.min(difference, Math.max(difference - half, bounds.low)),
    high: Math.max(difference, Math.min(difference + half, bounds.high)),
  };
}

/**
 * One-sided confidence that B's full score is the higher: the level at which the one-sided interval of S_B − S_A just
 * excludes 0, F_t(D/√V*). It is 1 or 0 where the answers prove it, ½ for a difference of 0, and 1 minus it is the
 * confidence that A's is the higher.
 * @example oneSidedConfidence({ difference: 0.1, bounds: { low: -1, high: 1 }, sampling: { variance: 0.0025, degrees: 20 } }) // ≈ 0.9704
 */
export function oneSidedConfidence({ difference, bounds, sampling }: SampledDifference): number {
  if (bounds.low > 0) return 1;
  if (bounds.high < 0) return 0;
  if (difference === 0) return 0.5;
  if (sampling.variance === 0) return difference > 0 ? 1 : 0;
  return studentTCdf(difference / Math.sqrt(sampling.variance), Math.min(sampling.degrees, 1e7));
}

/** The same of S_A − S_B. */
export function turnedDifference({ difference, bounds, sampling }: SampledDifference): SampledDifference {
  return { difference: -difference, bounds: { low: -bounds.high, high: -bounds.low }, sampling };
}

/**
 * Weighted mean of differences whose anchors were drawn independently, as `weightedScore` has it for scores.
 * @param parts - shares W, summing to 1
 */
export function weightedDifference(
  parts: readonly (SampledDifference & { readonly share: number })[],
): SampledDifference {
  const sum = (term: (part: SampledDifference & { readonly share: number }) => number): number =>
    parts.reduce((total, part) => total + term(part), 0);
  const mean = (term: (part: SampledDifference) => number): number =>
    Math.max(
      -1,
      Math.min(
        1,
        sum((part) => part.share * term(part)),
      ),
    ); // shares sum to 1 up to rounding
  return {
    difference: mean(({ difference }) => difference),
    bounds: { low: mean(({ bounds }) => bounds.low), high: mean(({ bounds }) => bounds.high) },
    sampling: satterthwaite(parts),
  };
}
