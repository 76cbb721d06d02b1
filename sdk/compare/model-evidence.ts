import type { Bundle } from "../core/bundle/bundle.ts";
import type { Manifest } from "../core/bundle/manifest.ts";
import { answeredSample, knownBounds } from "../core/estimators/answered-sample.ts";
import { anchorMean, correctedMean } from "../core/estimators/predicted-means.ts";
import type { PairedAnswers } from "../core/inference/paired-difference.ts";
import { expectedScore, predictedScoresOf } from "../core/scoring/predicted-scores.ts";
import { answerLeverages } from "../core/scoring/scenario-estimate.ts";
import { bundleScoring } from "../estimate/bundle-scoring.ts";
import { scenarioShares } from "../estimate/overall-score.ts";

/** One model's evidence in one scenario, ready to be compared. */
export interface ScenarioEvidence extends PairedAnswers {
  /** The corrected mean (`p-irt-dr`), inside the bounds. */
  readonly score: number;
  /** The range of scores that the answers alone leave possible. */
  readonly bounds: { readonly low: number; readonly high: number };
  /** Hájek mean of the answers. */
  readonly stratifiedMean: number;
  /** Every item was answered. */
  readonly exact: boolean;
}

/**
 * One model's evidence in every loaded scenario, abilities from its answers to these items alone.
 * @param scores - per scenario, aligned with the form's anchors; NaN = doesn't count
 * @returns by scenario; without those where nothing was answered
 */
export function modelEvidence(
  bundle: Bundle,
  form: string,
  scores: ReadonlyMap<string, Float64Array>,
): Map<string, ScenarioEvidence> {
  const evidence = new Map<string, ScenarioEvidence>();
  const model = bundleScoring(bundle, form).estimate(scores);
  for (const described of bundle.manifest.banks) {
    const ability = model.ability(described.id, "separate");
    if (!ability) continue;
    for (const id of described.scenarios) {
      const scenario = bundle.scenarios.get(id);
      const sample = scenario && answeredSample(scenario.forms.get(form)!.anchors, scores.get(id)!);
      if (!scenario || !sample) continue;
      const { bank, weights, scoreMap } = scenario;
      const expected = expectedScore(ability.theta, bank, weights, scoreMap);
      const predicted = predictedScoresOf(sample.items, ability.theta, bank, scoreMap);
      const bounds = knownBounds(weights, sample);
      const score = correctedMean({ expected, predicted, sample });
      evidence.set(id, {
        sample,
        predicted,
        leverages: answerLeverages(bank, ability.theta, ability.covariance, sample.items),
        score: Math.min(bounds.high, Math.max(bounds.low, score)),
        bounds,
        stratifiedMean: anchorMean(sample),
        exact: sample.items.length === bank.count,
      });
    }
  }
  return evidence;
}

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
  let mean = 0;
  for (const { id, share } of scenarioShares(manifest)) {
    const own = evidence.get(id)?.[of];
    if (own === undefined) return null;
    mean += share * own;
  }
  return Math.min(1, mean); // shares sum to 1 up to rounding
}
