import type { FullScores } from "../prepare/full-scores.ts";

/** Share of every scenario's weight that a target must have observed. */
export const TARGET_OBSERVED = 0.98;

/** Which models are observed well enough in all scenarios to be targets. */
export function eligibleTargets(scenarios: readonly Pick<FullScores, "observed">[]): boolean[] {
  const rounding = 1e-9; // an observed share is a sum of weights
  return Array.from(scenarios[0]!.observed, (_, m) =>
    scenarios.every(({ observed }) => observed[m]! >= TARGET_OBSERVED - rounding),
  );
}
