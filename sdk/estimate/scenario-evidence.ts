import type { BundleScenario } from "../core/bundle/bundle.ts";
import type { FormManifest, MeasuredBlend } from "../core/bundle/manifest.ts";
import { lookUp } from "../core/bundle/names.ts";
import type { AbilityEstimate } from "../core/ability/map.ts";
import { LEAST_ANSWERED_SHARE } from "../core/estimators/answered-sample.ts";
import { type BlendedEstimates, blendEstimates } from "../core/estimators/blend-estimates.ts";
import { leapOf } from "../core/estimators/logit-shift.ts";
import { estimatorFigure, type SeenModels } from "../core/estimators/types.ts";
import { scoreRange, type ScoreRange } from "../core/inference/ranks.ts";
import { suspicions } from "../core/person-fit/answer-pattern.ts";
import { disorder, MOST_DISORDER } from "../core/person-fit/disorder.ts";
import { answerCurves } from "../core/person-fit/statistics.ts";
import { type ScenarioEstimate, wholeEstimate } from "../core/scoring/scenario-estimate.ts";
import type { ModelEstimate, Pooling } from "../core/scoring/scoring-model.ts";
import type { ScenarioDetails } from "./types.ts";

/** The sources of one scenario's score. */
export interface EvidenceSource {
  readonly form: FormManifest;
  readonly model: ModelEstimate;
  readonly pooling: Pooling;
  /** Where the model stands by all scenarios. */
  readonly overall: SeenModels["overall"];
}

/** A model's answers to a scenario, judged before any interval. */
export interface ScenarioEvidence {
  /** The form's blend and measured errors, by the answers that it reads. */
  readonly described: MeasuredBlend;
  readonly ability: AbilityEstimate;
  readonly estimate: ScenarioEstimate;
  readonly blended: BlendedEstimates;
  readonly score: number;
  /** Whether every item of the scenario was answered. */
  readonly all: boolean;
  /** Whether these are all items that the score is on. */
  readonly exact: boolean;
  readonly outside: BlendedEstimates["outside"];
  /** Null where too few answers tell of the model's place, as they tell of no interval. */
  readonly range: ScoreRange | null;
  readonly stronger: boolean;
  readonly pattern: ScenarioDetails["pattern"];
}

/** All scenarios' answers where these can be pooled and err less for this scenario, else its own. */
export function servedPooling(form: FormManifest, id: string, model: ModelEstimate): Pooling {
  return model.pooled && lookUp(form.scenarios, id)!.together !== null ? "pooled" : "separate";
}

/**
 * The estimate, its blends and the model's place.
 * @param whole - scores of all items in parameter order, where all were answered
 * @returns null where no anchor of the scenario was answered
 */
export function scenarioEvidence(
  scenario: BundleScenario,
  whole: Float64Array | undefined,
  { form, model, pooling, overall }: EvidenceSource,
): ScenarioEvidence | null {
  const { together, ...separate } = lookUp(form.scenarios, scenario.id)!;
  const described: MeasuredBlend = pooling === "pooled" ? together! : separate;
  const { bank, sourceScores } = scenario;
  const ability = model.ability(scenario.id, pooling);
  const fromAnchors = model.scenario(scenario.id, pooling);
  const answerPattern = model.pattern(scenario.id);
  if (ability === null || answerPattern === null || fromAnchors === null) return null;

  const estimate = whole ? wholeEstimate(fromAnchors, scenario.weights, whole) : fromAnchors;
  const seen = { worst: sourceScores[0]!, best: sourceScores.at(-1)!, overall };
  const blended = blendEstimates(estimate, described, seen);
  const score = estimatorFigure(blended.estimators, form.estimator);
  const all = estimate.sample.items.length === bank.count;
  const exact = all && scenario.fullScore === null;
  const outside = exact ? exactOutside(score, sourceScores) : blended.outside;
  const range = estimate.sample.share >= LEAST_ANSWERED_SHARE ? scoreRange(outside) : null;
  const stronger = range === "outside" && outside.above > outside.below;
  const evidence = { described, ability, estimate, blended, score, all, exact, outside, range, stronger };
  if (range === null) return { ...evidence, pattern: { ...answerPattern, suspicions: null } };
  const byThresholds = separate.pattern
    ? suspicions(answerPattern, separate.pattern, stronger ? leapOf(score, seen) : null)
    : null;
  if (byThresholds) return { ...evidence, pattern: { ...answerPattern, suspicions: byThresholds } };
  const { sample } = fromAnchors;
  const loose = disorder(sample, answerCurves(bank, model.ability(scenario.id, "separate")!.theta, sample));
  const suspected = loose > MOST_DISORDER ? (["guessing"] as const) : [];
  return { ...evidence, pattern: { ...answerPattern, disorder: loose, suspicions: suspected } };
}

/** With every item answered the score is known, and so is its place. */
function exactOutside(score: number, sourceScores: ArrayLike<number>): { above: number; below: number } {
  const rounding = 1e-6; // source scores are stored as float32
  return {
    above: score > sourceScores[sourceScores.length - 1]! + rounding ? 1 : 0,
    below: score < sourceScores[0]! - rounding ? 1 : 0,
  };
}
