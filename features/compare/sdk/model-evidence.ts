import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { answeredSample, knownBounds, wholeSample } from "../../../sdk/core/estimators/answered-sample.ts";
import { anchorMean } from "../../../sdk/core/estimators/predicted-means.ts";
import type { KnownVariance } from "../../../sdk/core/inference/sampling-variance.ts";
import type { ServedScore } from "../../../sdk/core/inference/paired-scores.ts";
import type { ModelEstimate } from "../../../sdk/core/scoring/scoring-model.ts";
import { correctedAnswers } from "../../../sdk/core/scoring/scenario-estimate.ts";
import { bundleScoring } from "../../../sdk/estimate/bundle-scoring.ts";
import { scoreAnswers } from "../../../sdk/estimate/estimate-from-anchors.ts";
import { scenarioShares } from "../../../sdk/estimate/overall-score.ts";
import type { WholeScenario } from "../../../sdk/estimate/resolve-answers.ts";
import type { Estimate } from "../../../sdk/estimate/types.ts";
import type { TrialSummary } from "../../../sdk/tables/item-trials.ts";
import { commonAnswers } from "./common-answers.ts";
import { chooseOver } from "./over.ts";
import type { ComparedModel, CompareOptions } from "./types.ts";
import { runNoise } from "../../trials/sdk/trial-variances.ts";

/** One model's evidence in one scenario, ready to be compared. */
export interface ScenarioEvidence extends ServedScore {
  /** Hájek mean of the answers. */
  readonly stratifiedMean: number;
  /** Every item was answered. */
  readonly exact: boolean;
  /** Variance of the score of all items from run to run; null where nobody asked for it. */
  readonly noise: KnownVariance | null;
}

/**
 * One model's evidence in every loaded scenario, abilities from its answers to these items alone.
 * @param scores - per scenario, aligned with the form's anchors; NaN = doesn't count
 * @param model - its estimates from these scores, where they are there already
 * @param whole - scenarios of which every item counts
 * @returns by scenario; without those where nothing was answered
 */
export function modelEvidence(
  bundle: Bundle,
  form: string,
  scores: ReadonlyMap<string, Float64Array>,
  model: Pick<ModelEstimate, "ability"> = bundleScoring(bundle, form).estimate(scores),
  whole: ReadonlyMap<string, WholeScenario> = new Map(),
): Map<string, ScenarioEvidence> {
  const evidence = new Map<string, ScenarioEvidence>();
  for (const [id, scenario] of bundle.scenarios) {
    const ability = model.ability(id, "separate");
    const all = whole.get(id)?.scores;
    const sample = all
      ? wholeSample(scenario.weights, all)
      : answeredSample(scenario.forms.get(form)!.anchors, scores.get(id)!);
    if (ability === null || sample === null) continue;
    const bounds = knownBounds(scenario.weights, sample);
    const { corrected, residuals, leverages } = correctedAnswers(scenario, ability, sample, bounds);
    evidence.set(id, {
      sample,
      residuals,
      leverages,
      score: corrected,
      gated: null,
      bounds,
      stratifiedMean: anchorMean(sample),
      exact: sample.items.length === scenario.bank.count,
      noise: null,
    });
  }
  return evidence;
}

/** One model's estimate, and its evidence with the form's score as what is compared. */
export interface ComparedSide {
  readonly estimate: Estimate;
  readonly evidence: ReadonlyMap<string, ScenarioEvidence>;
}

/** How one side of a comparison is estimated. */
interface ComparedOptions {
  readonly level: number;
  /** Of the items' trials; null where what differs from run to run isn't asked for. */
  readonly summaries: ReadonlyMap<string, TrialSummary> | null;
  /** Scenarios of which every item counts. */
  readonly whole: ReadonlyMap<string, WholeScenario>;
}

/** The same of checked answers, so that differences are those of the scores beside them. */
function comparedSide(
  bundle: Bundle,
  form: string,
  scores: ReadonlyMap<string, Float64Array>,
  { level, summaries, whole }: ComparedOptions,
): ComparedSide {
  const { estimate, model, scenarios } = scoreAnswers(bundle, form, scores, level, whole);
  const answers = { form, scores, whole };
  const evidence = new Map(
    [...modelEvidence(bundle, form, scores, model, whole)].map(([id, part]): [string, ScenarioEvidence] => {
      const scored = scenarios.get(id)!;
      const { result, gated, sampling } = scored;
      const noise = summaries && runNoise(bundle, answers, id, scored, summaries);
      const outside = result.details!.outside;
      const side = outside.above >= outside.below ? 1 : -1;
      const variance = sampling?.variance ?? 0;
      return [id, { ...part, score: result.score!, gated: gated && { ...gated, side, variance }, noise }];
    }),
  );
  return { estimate, evidence };
}

/**
 * Several models' sides of a comparison, from the items that all answered, and that which their differences are said of.
 * @throws AnchorEvalError as {@link commonAnswers} and {@link chooseOver}
 */
export function comparedSides(
  bundle: Bundle,
  models: readonly ComparedModel[],
  names: readonly string[],
  { level, over: asked, ...options }: Omit<CompareOptions, "level" | "margin"> & { readonly level: number },
) {
  const { form: id, scores, whole, ...common } = commonAnswers(bundle, models, names, options);
  const form = bundle.manifest.forms.find((candidate) => candidate.id === id)!;
  const { over, trials } = chooseOver(bundle, { form: id, scores, summaries: common.summaries }, asked);
  const sides = scores.map((side, k) =>
    comparedSide(bundle, id, side, { level, summaries: trials[k]!, whole: whole[k]! }),
  );
  return { ...common, form, over, sides };
}

/**
 * The ranking statistic, ΣW_s·(Σ_A d·y / Σ_A d): the mean of the answers with the design's weights, and nothing else. It
 * orders models that are stronger than any seen better than estimates that lean on models like them.
 * @returns null where a scenario has no answer
 */
export function overallMean(manifest: Manifest, evidence: ComparedSide["evidence"]): number | null {
  let mean = 0;
  for (const { id, share } of scenarioShares(manifest)) {
    const part = evidence.get(id);
    if (part === undefined) return null;
    mean += share * part.stratifiedMean;
  }
  return Math.min(1, mean); // shares sum to 1 up to rounding
}
