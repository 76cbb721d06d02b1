import type { FormManifest, Manifest } from "../core/bundle/manifest.ts";
import { partlyCorrectedMean } from "../core/estimators/blend-estimates.ts";
import type { SeenModels } from "../core/estimators/types.ts";
import type { JointEvidence } from "./answer-evidence.ts";

/**
 * Where a model stands among the source models by the weighted mean over all scenarios: of its partly corrected means,
 * from the answers to all of them. A model that is stronger than any seen there is unlike them also in a scenario where
 * one of them is as good.
 * @returns null where the form has no such range
 */
export function overallPlace(
  { scenarios }: Manifest,
  form: FormManifest,
  { estimates }: JointEvidence,
): SeenModels["overall"] {
  const seen = form.overall?.seen ?? null;
  if (seen === null) return null;
  let sum = 0;
  let total = 0;
  for (const { id, weight } of scenarios) {
    sum += weight * partlyCorrectedMean(estimates.get(id)!.base);
    total += weight;
  }
  return { ...seen, score: sum / total };
}
