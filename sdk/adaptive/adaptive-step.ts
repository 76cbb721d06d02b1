import type { PoolPopulation } from "./benchmark-population.ts";
import type { ItemPool } from "./item-pool.ts";
import type { Findings } from "./stop-rules.ts";
import type { AdaptiveSession, AdaptiveStep, AdaptiveStop } from "./types.ts";

/** What there is to tell after a batch. */
export function adaptiveStep(
  { benchmark, version, digest, item }: ItemPool,
  { lines }: PoolPopulation,
  { plan, state }: AdaptiveSession,
  findings: Findings,
  stopped: AdaptiveStop | null,
): AdaptiveStep {
  const missing = state.models.reduce((sum, { scores }) => sum + scores.filter((score) => score === null).length, 0);
  return {
    benchmark,
    version,
    digest,
    items: (state.pending?.items ?? []).map((i) => item(lines[i]!)),
    stopped,
    plan,
    ...findings,
    warnings:
      missing === 0
        ? []
        : [
            {
              code: "missing_answers",
              message: `${missing} of ${state.asked.length * state.models.length} answers are missing; the score and its interval assume that they are missing at random.`,
            },
          ],
  };
}
