import type { Manifest } from "../core/bundle/manifest.ts";
import type { ScenarioEvidence } from "./model-evidence.ts";

/**
 * An overall mean, ΣW_s of the scenarios'. Of `stratifiedMean` it is the ranking statistic, ΣW_s·(Σ_A d·y / Σ_A d): the
 * mean of the answers with the design's weights, and nothing else. It orders models that are stronger than any seen better
 * than estimates that lean on models like them.
 * @returns null where a scenario has no answer
 */
export function overallMean(
  manifest: Manifest,
  evidence: ReadonlyMap<string, ScenarioEvidence>,
  of: "stratifiedMean" | "score",
): number | null {
  const total = manifest.scenarios.reduce((sum, { weight }) => sum + weight, 0);
  let mean = 0;
  for (const { id, weight } of manifest.scenarios) {
    const own = evidence.get(id)?.[of];
    if (own === undefined) return null;
    mean += (weight / total) * own;
  }
  return Math.min(1, mean); // shares sum to 1 up to rounding
}
