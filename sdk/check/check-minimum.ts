import type { Estimate } from "../estimate/types.ts";
import type { CheckResult, CheckVerdict, MinimumCheck } from "./types.ts";

/**
 * A score against the lowest that is allowed: regressed where its upper bound with the alarms' probability lies below,
 * passed where its lower bound with confidence `level` doesn't.
 * @param estimateAt - the estimate whose interval has ends of this one-sided confidence
 */
export function checkMinimum(
  estimateAt: (oneSided: number) => Estimate,
  minScore: number,
  { alarms, level }: Pick<CheckResult, "alarms" | "level">,
): MinimumCheck {
  const { score, interval, reason } = estimateAt(level);
  const low = interval?.low ?? null;
  const high = estimateAt(1 - alarms.probability).interval?.high ?? null;
  const verdict: CheckVerdict =
    low === null || high === null
      ? "undecided"
      : high < minScore
        ? "regressed"
        : low >= minScore
          ? "passed"
          : "undecided";
  return { verdict, score, low, high, reason, minScore };
}
