import type { ItemLines } from "../bundles/item-lines.ts";
import type { Bundle } from "../core/bundle/bundle.ts";
import type { BenchmarkPopulation } from "./benchmark-population.ts";
import type { AdaptiveItem, AdaptiveSession, AdaptiveStep, AdaptiveStop } from "./types.ts";
import type { Findings } from "./stop-rules.ts";

/** What there is to tell after a batch. */
export function adaptiveStep(
  { manifest, digest }: Bundle,
  lines: ItemLines,
  population: BenchmarkPopulation,
  { plan, state }: AdaptiveSession,
  findings: Findings,
  stopped: AdaptiveStop | null,
): AdaptiveStep {
  const missing = state.models.reduce((sum, { scores }) => sum + scores.filter((score) => score === null).length, 0);
  return {
    benchmark: manifest.benchmark,
    version: manifest.version,
    digest,
    items: (state.pending?.items ?? []).map((i) => askedItem(lines, population.lines[i]!)),
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

function askedItem(lines: ItemLines, line: number): AdaptiveItem {
  const { item_id, scenario, subscenario, hash } = lines.record(line);
  return { item_id, scenario, ...(subscenario !== undefined && { subscenario }), ...(hash !== undefined && { hash }) };
}
