import type { BundleScenario } from "../core/bundle/bundle.ts";
import type { FormManifest } from "../core/bundle/manifest.ts";
import { ERROR_LEVELS } from "../core/bundle/names.ts";
import { requireNumbers } from "../core/errors.ts";
import { LEAST_ANSWERED_SHARE } from "../core/estimators/answered-sample.ts";
import type { Tightening } from "../core/estimators/types.ts";
import { percentile } from "../core/inference/ranks.ts";
import {
  atLeastBinomial,
  gatedSampling,
  type GatedVariance,
  gatedVariance,
  NO_SAMPLING,
  type SamplingVariance,
} from "../core/inference/sampling-variance.ts";
import { designInterval } from "../core/inference/score-interval.ts";
import type { Suspicion } from "../core/person-fit/answer-pattern.ts";
import { drawnMethod, measuredError, type ScoredScenario, stated } from "./overall-score.ts";
import { type EvidenceSource, type ScenarioEvidence, scenarioEvidence } from "./scenario-evidence.ts";
import type { EstimateWarning, Interval, ScenarioResult, WarningCode } from "./types.ts";

/** Source models below which errors on held-out models say nothing of new ones. */
export const LEAST_SOURCES = 12;

/** Meaning of each suspicion, and advice. */
const MEANING: Readonly<Record<Suspicion, string>> = {
  memorised:
    "right on items that models like it get wrong, as if known from training data: ask another form, or new items, and compare",
  guessing:
    "right and wrong hardly follow difficulty, as if guessed or matched to the wrong items: check item ids, prompts, chat template and how answers are read off",
  broken:
    "hardly an answer is right, and no source model is that weak, as if none were found in the outputs: read a few of them",
};

/**
 * One scenario's score: the evidence of its answers, the spread that the score has by them, and the interval of the two.
 * @param asked - items of which the form asks an answer
 * @param whole - scores of all items, where all were answered
 */
export function scenarioResult(
  scenario: BundleScenario,
  { asked, whole }: { readonly asked: number; readonly whole: Float64Array | undefined },
  source: EvidenceSource,
  level: number,
): ScoredScenario & { readonly warnings: readonly EstimateWarning[] } {
  const of = whole?.length ?? asked;
  const evidence = scenarioEvidence(scenario, whole, source);
  if (evidence === null) return { ...unanswered(of), warnings: [] };

  const { form, pooling } = source;
  const { ability, blended, described, estimate, exact, pattern, range, score } = evidence;
  const spread = scoreSpread(evidence, form, scenario.sourceScores.length);
  const interval: Interval | string = exact
    ? { low: score, high: score, level, method: "exact" }
    : scenarioInterval(form, evidence, spread, level);
  const { low, high } = typeof interval === "string" ? { low: 0, high: 1 } : interval;
  const figures = [
    score,
    low,
    high,
    blended.outside.above,
    blended.outside.below,
    ...Object.values(blended.estimators),
  ];
  requireNumbers(scenario.id, [...figures, ...ability.theta, ...ability.standardError]);
  const result: ScenarioResult = {
    score,
    ...stated(interval),
    exact,
    answered: estimate.sample.items.length,
    of,
    answeredShare: estimate.sample.share,
    range,
    percentile: range === null ? null : percentile(score, scenario.sourceScores),
    details: {
      theta: Array.from(ability.theta),
      thetaStandardError: Array.from(ability.standardError),
      thetaStatus: ability.status,
      evidence: pooling === "pooled" ? "together" : "alone",
      lambda: described.lambda,
      estimator: form.estimator,
      estimators: blended.estimators,
      outside: evidence.outside,
      pattern,
    },
  };
  const warnings = warningsOf(evidence, { of, few: spread.few, reason: result.reason }).map(([code, words]) => ({
    code,
    scenario: scenario.id,
    message: `${scenario.id}: ${words}`,
  }));
  const { sampling, tightening, gated } = spread;
  return { result, bounds: estimate.bounds, sampling, tightening, gated, warnings };
}

function unanswered(of: number): ScoredScenario {
  const result: ScenarioResult = {
    score: null,
    interval: null,
    reason: "no anchor of this scenario was answered",
    exact: false,
    answered: 0,
    of,
    answeredShare: 0,
    range: null,
    percentile: null,
    details: null,
  };
  return { result, bounds: { low: 0, high: 1 }, sampling: null, tightening: null, gated: null };
}

/** How far the score may lie from the truth. */
interface ScoreSpread {
  /** By the draw of the anchors, narrowed by held-out models; null for a purposive choice. */
  readonly sampling: SamplingVariance | null;
  readonly tightening: Tightening;
  readonly gated: GatedVariance | null;
  /** Too few source models to have measured any error. */
  readonly few: boolean;
}

function scoreSpread(
  { blended, described, estimate, exact, pattern, score }: ScenarioEvidence,
  form: FormManifest,
  sourceModels: number,
): ScoreSpread {
  // Held-out models whose answers are like a model's tell of its errors, others don't: not narrowed.
  const tightening = pattern.suspicions?.length ? { inside: 1, outside: 1 } : described.tightening;
  if (exact) return { sampling: NO_SAMPLING, tightening, gated: null, few: false };
  const drawn = estimate.sampling;
  const gated = drawn && form.estimator === "gate" ? gatedVariance(blended, tightening, drawn) : null;
  const narrowed = drawn && gated ? gatedSampling(drawn, gated, blended) : drawn;
  const few = !(sourceModels >= LEAST_SOURCES && described.measured.interpolation);
  return { sampling: narrowed && few ? atLeastBinomial(narrowed, score) : narrowed, tightening, gated, few };
}

/** The interval of a score that isn't exact, or why there is none. */
function scenarioInterval(
  form: FormManifest,
  { estimate: { sample, bounds }, described, range, score }: ScenarioEvidence,
  { sampling, tightening }: ScoreSpread,
  level: number,
): Interval | string {
  if (sample.share < LEAST_ANSWERED_SHARE)
    return `only ${Math.round(100 * sample.share)} % of the anchors' weight was answered, below ${100 * LEAST_ANSWERED_SHARE} %`;
  if (form.interval === "design") {
    if (sampling === null) return "fewer than two anchors were answered";
    const method = drawnMethod(form, [{ tightening }]);
    return { ...designInterval({ score, bounds, sampling }, level), level, method };
  }
  if (!(ERROR_LEVELS as readonly number[]).includes(level))
    return `for anchors chosen by ${form.selection}, intervals are measured at the levels ${ERROR_LEVELS.join(", ")}`;
  if (range === "outside") return "the model lies outside the range seen, where the errors measured do not hold";
  const error = measuredError(described.measured, level);
  if (error === null) return "too few source models to measure the error at this level";
  const low = Math.max(score - error, bounds.low);
  const high = Math.min(score + error, bounds.high);
  return { low, high, level, method: "cross-validated" };
}

/** For a reader of the score, in the order in which results have them. */
function warningsOf(
  { all, blended: { estimators }, estimate: { sample }, exact, pattern, range, stronger }: ScenarioEvidence,
  { of, few, reason }: { readonly of: number; readonly few: boolean; readonly reason: string | null },
): (readonly [WarningCode, string])[] {
  const warnings: (readonly [WarningCode, string])[] = [];
  const warn = (code: WarningCode, words: string): void => void warnings.push([code, words]);
  if (range === "outside")
    warn(
      stronger ? "stronger_than_any_seen" : "weaker_than_any_seen",
      `this model looks ${stronger ? "stronger" : "weaker"} than any seen; the score rests on the anchors more than on like models.`,
    );
  const lost = (rate: number): string => (100 * (1 - sample.share) * rate).toFixed(1);
  if (sample.items.length < of)
    warn(
      "missing_answers",
      `${of - sample.items.length} of ${of} answers are missing; the score and its interval assume that they are missing at random: all wrong, it would be about ${lost(estimators["anchor-mean"])} points lower, all right ${lost(1 - estimators["anchor-mean"])} higher.`,
    );
  if (all && !exact)
    warn("beyond_items", "every item was answered, but the score is on more items than these: it stays an estimate.");
  const suspected = pattern.suspicions ?? [];
  if (suspected.length > 0)
    warn(
      "suspicious_pattern",
      `suspicious answers (${suspected.join(", ")}): ${suspected.map((suspicion) => MEANING[suspicion]).join("; ")}. Of honest models one in ${pattern.disorder === undefined ? "fifty" : "a hundred"} is flagged.`,
    );
  if (few)
    warn(
      "few_source_models",
      "too few source models to measure the error: the interval is at least that of as many random items.",
    );
  if (reason !== null) warn("no_interval", `no interval: ${reason}.`);
  return warnings;
}
