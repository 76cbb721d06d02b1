import type { EstimateWarning } from "../estimate/types.ts";
import type { PoolPopulation } from "./benchmark-population.ts";
import type { ItemPool } from "./item-pool.ts";
import type { Findings } from "./stop-rules.ts";
import type { AdaptivePlan, AdaptiveSession, AdaptiveStep, AdaptiveStop } from "./types.ts";

/** What there is to tell after a batch. */
export function adaptiveStep(
  pool: ItemPool,
  { lines }: PoolPopulation,
  { plan, state }: AdaptiveSession,
  findings: Findings,
  stopped: AdaptiveStop | null,
): AdaptiveStep {
  const { benchmark, version, digest, item } = pool;
  const missing = state.models.reduce((sum, { scores }) => sum + scores.filter((score) => score === null).length, 0);
  return {
    benchmark,
    version,
    digest,
    items: (state.pending?.items ?? []).map((i) => item(lines[i]!)),
    stopped,
    plan,
    ...findings,
    warnings: [
      ...(missing === 0
        ? []
        : [
            {
              code: "missing_answers" as const,
              message: `${missing} of ${state.asked.length * state.models.length} answers are missing; the score and its interval assume that they are missing at random.`,
            },
          ]),
      ...exposureWarnings(pool, plan),
    ],
  };
}

/** What limits were found for doesn't hold where fewer scenarios are asked, more items, or the most informative ones. */
function exposureWarnings({ exposure, scenarios }: ItemPool, plan: AdaptivePlan): EstimateWarning[] {
  if (exposure === undefined) return [];
  const { limit, simulated } = exposure;
  if (plan.goal === "score" && plan.scenarios.length === scenarios.length && plan.budget <= simulated.budget) return [];
  const message = `Items are given in at most ${Number((100 * limit).toFixed(1))} % of the evaluations for a score that ask ${simulated.budget} items of all scenarios at most; this one may give some more often.`;
  return [{ code: "exposure_not_limited", message }];
}
