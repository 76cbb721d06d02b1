import type { SampledDifference } from "../core/inference/paired-difference.ts";
import { studentTCdf, studentTQuantile } from "../core/numeric/distributions.ts";
import type { CheckResult, DropCheck } from "./types.ts";

/** How often a drop of size `found` is found. */
const POWER = 0.8;

/**
 * A drop against the largest that is allowed: regressed where its lower bound D − t_{1−α}·√V lies above, α the alarms'
 * probability; passed where its upper bound D + t_level·√V doesn't.
 * @param difference - S_now − S_before, or why there is none
 */
export function checkDrop(
  difference: SampledDifference | { readonly reason: string },
  maxDrop: number,
  { alarms, level }: Pick<CheckResult, "alarms" | "level">,
): DropCheck {
  if ("reason" in difference)
    return {
      verdict: "undecided",
      drop: null,
      low: null,
      high: null,
      reason: difference.reason,
      maxDrop,
      alarmsWithoutChange: null,
      found: null,
    };
  const { variance, degrees } = difference.sampling;
  const drop = -difference.difference;
  const error = Math.sqrt(variance);
  const alarm = studentTQuantile(1 - alarms.probability, degrees);
  const low = Math.max(-1, drop - alarm * error);
  const high = Math.min(1, drop + studentTQuantile(level, degrees) * error);
  return {
    verdict: low > maxDrop ? "regressed" : high <= maxDrop ? "passed" : "undecided",
    drop,
    low,
    high,
    reason: null,
    maxDrop,
    alarmsWithoutChange: alarms.runsPerYear * studentTCdf(-(alarm + maxDrop / error), degrees),
    found: Math.min(1, maxDrop + (alarm + studentTQuantile(POWER, degrees)) * error),
  };
}
