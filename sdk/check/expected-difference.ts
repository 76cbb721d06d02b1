import {
  type PairedAnswers,
  pairedSampling,
  type SampledDifference,
  weightedDifference,
} from "../core/inference/paired-difference.ts";
import type { Manifest } from "../core/bundle/manifest.ts";
import type { ScenarioEvidence } from "../compare/model-evidence.ts";

/**
 * Difference of two models' expected scores, S_B − S_A over all runs that they might have made: that of the corrected
 * means, with the variance of items drawn from a population without end (π = 0 in {@link pairedSampling}). So the noise
 * of both runs counts too, also where all items were asked.
 * @returns null, and why, where a scenario has none, or where its anchors were chosen
 */
export function expectedDifference(
  { scenarios }: Pick<Manifest, "scenarios">,
  a: ReadonlyMap<string, ScenarioEvidence>,
  b: ReadonlyMap<string, ScenarioEvidence>,
): SampledDifference | { readonly reason: string } {
  const total = scenarios.reduce((sum, { weight }) => sum + weight, 0);
  const parts: (SampledDifference & { readonly share: number })[] = [];
  for (const { id, weight } of scenarios) {
    const [left, right] = [a.get(id), b.get(id)];
    if (!left || !right) return { reason: `no anchor of ${id} was answered by all` };
    if (left.sample.inclusion === null)
      return { reason: "these anchors were chosen, not drawn: nothing measures the error of a difference" };
    const difference = right.score - left.score;
    const sampling = pairedSampling(difference, endless(left), endless(right));
    if (sampling === null) return { reason: `fewer than two anchors of ${id} were answered by all` };
    parts.push({ share: weight / total, difference, bounds: { low: -1, high: 1 }, sampling });
  }
  return weightedDifference(parts);
}

/** The same answers as if their items were some of infinitely many. */
function endless(answers: PairedAnswers): PairedAnswers {
  return { ...answers, sample: { ...answers.sample, inclusion: new Float64Array(answers.sample.items.length) } };
}
