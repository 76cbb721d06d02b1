import type { Bundle, BundleScenario } from "../core/bundle/bundle.ts";
import {
  ERROR_LEVELS,
  type FormManifest,
  type FormScenarioManifest,
  type MeasuredBlend,
} from "../core/bundle/manifest.ts";
import { LEAST_ANSWERED_SHARE } from "../core/estimators/answered-sample.ts";
import { blendEstimates } from "../core/estimators/blend-estimates.ts";
import { figureOf, type SeenModels } from "../core/estimators/types.ts";
import { confidenceLevel } from "../core/inference/confidence-level.ts";
import { designInterval } from "../core/inference/design-interval.ts";
import { gatedSampling } from "../core/inference/gated-sampling.ts";
import { NO_SAMPLING, samplingVariance, type SamplingVariance } from "../core/inference/sampling-variance.ts";
import { percentile, scoreRange } from "../core/inference/score-range.ts";
import type { AnswerPattern } from "../core/person-fit/answer-pattern.ts";
import { type Suspicion, suspicions } from "../core/person-fit/suspicions.ts";
import type { ScenarioEstimate } from "../core/scoring/scenario-estimate.ts";
import type { ModelEstimate, Pooling } from "../core/scoring/scoring-model.ts";
import { bundleScoring } from "./bundle-scoring.ts";
import { drawnMethod, overallPlace, overallScore, type ScoredScenario } from "./overall-score.ts";
import { resolveAnswers } from "./resolve-answers.ts";
import type {
  Estimate,
  EstimateOptions,
  EstimateWarning,
  Interval,
  Responses,
  ScenarioPattern,
  ScenarioResult,
} from "./types.ts";

/**
 * The full score of a model, from its answers to the anchors of one form. Synchronous; touches no network.
 *
 * @param bundle - from `loadBundle`
 * @param responses - scores in [0,1] by item id (order can't matter); null or absent = no answer
 * @returns overall and per-scenario scores with intervals, abilities, every estimator, and warnings in plain words
 * @throws AnchorEvalError `invalid_answers` (with one issue for each bad answer), `ambiguous_form`, `unknown_form`,
 * `digest_mismatch`, `item_changed`, `invalid_option`
 * @example
 * const bundle = await loadBundle("https://evals.example.com/v1/bundles/helm-lite/1.0.0");
 * const { score, interval } = estimateFromAnchors(bundle, { "gsm/17": 1, "gsm/42": 0 });
 */
export function estimateFromAnchors(bundle: Bundle, responses: Responses, options: EstimateOptions = {}): Estimate {
  const level = confidenceLevel(options.level);
  const { form: formId, scores, dropped } = resolveAnswers(bundle, responses, options);
  const form = bundle.manifest.forms.find((candidate) => candidate.id === formId)!;
  const warnings: EstimateWarning[] = [];
  if (dropped.length > 0)
    warnings.push({
      code: "changed_items_dropped",
      message: `${dropped.length} answers were dropped: their items have changed since they were calibrated (${dropped.slice(0, 5).join(", ")}).`,
    });

  const scenarios = new Map<string, ScoredScenario>();
  const model = bundleScoring(bundle, form.id).estimate(scores);
  const overall = overallPlace(bundle.manifest, form, model);
  for (const bank of bundle.manifest.banks) {
    const loaded = bank.scenarios.filter((id) => bundle.scenarios.has(id));
    const poolings = new Set(loaded.map((id) => servedPooling(form, id, model)));
    if ([...poolings].some((pooling) => model.ability(bank.id, pooling)?.status === "max-iterations"))
      warnings.push({
        code: "ability_not_converged",
        message: `The ability of ${bank.id} did not converge; its scores rest on the last step.`,
      });
    for (const id of loaded) {
      const scenario = bundle.scenarios.get(id)!;
      scenarios.set(id, scenarioResult(scenario, bank.id, form, model, scores.get(id)!, overall, level, warnings));
    }
  }
  const ordered = Object.fromEntries(
    bundle.manifest.scenarios.flatMap(({ id }) => (scenarios.has(id) ? [[id, scenarios.get(id)!.result]] : [])),
  );
  return {
    benchmark: bundle.manifest.benchmark,
    version: bundle.manifest.version,
    form: formId,
    digest: bundle.digest,
    ...overallScore(bundle.manifest, form, scenarios, level),
    answered: Object.values(ordered).reduce((sum, scenario) => sum + scenario.answered, 0),
    of: Object.values(ordered).reduce((sum, scenario) => sum + scenario.of, 0),
    warnings,
    scenarios: ordered,
  };
}

/** All scenarios' answers where these can be read jointly and err less for this scenario, else its own bank's. */
function servedPooling(form: FormManifest, id: string, model: ModelEstimate): Pooling {
  return model.joint && form.scenarios[id]!.together !== null ? "joint" : "separate";
}

function scenarioResult(
  scenario: BundleScenario,
  bankId: string,
  form: FormManifest,
  model: ModelEstimate,
  scores: Float64Array,
  overall: SeenModels["overall"],
  level: number,
  warnings: EstimateWarning[],
): ScoredScenario {
  const pooling = servedPooling(form, scenario.id, model);
  const { together, ...own } = form.scenarios[scenario.id]!;
  const described: MeasuredBlend = pooling === "joint" ? together! : own;
  const { bank, sourceScores } = scenario;
  const of = scores.length;
  const ability = model.ability(bankId, pooling);
  const estimate = model.scenario(scenario.id, pooling);
  const answerPattern = model.pattern(scenario.id);
  if (ability === null || answerPattern === null || estimate === null)
    return { result: unanswered(of), bounds: { low: 0, high: 1 }, sampling: null, tightening: null };

  const { sample, bounds } = estimate;
  const seen = { worst: sourceScores[0]!, best: sourceScores.at(-1)!, overall };
  const blended = blendEstimates(estimate.base, described, seen, bounds);
  const { estimators } = blended;
  const score = figureOf(estimators, form.estimator);
  const exact = sample.items.length === bank.count;
  const outside = exact ? exactOutside(score, sourceScores) : blended.outside;
  const range = scoreRange(outside);
  if (range === "outside")
    warnings.push(
      outside.above > outside.below
        ? {
            code: "stronger_than_any_seen",
            scenario: scenario.id,
            message: `${scenario.id}: this model looks stronger than any seen; the score rests on the anchors more than on like models.`,
          }
        : {
            code: "weaker_than_any_seen",
            scenario: scenario.id,
            message: `${scenario.id}: this model looks weaker than any seen; the score rests on the anchors more than on like models.`,
          },
    );
  if (sample.items.length < of)
    warnings.push({
      code: "missing_answers",
      scenario: scenario.id,
      message: `${scenario.id}: ${of - sample.items.length} of ${of} answers are missing; the score and its interval assume that they are missing at random.`,
    });
  const stronger = range === "outside" && outside.above > outside.below;
  const pattern = scenarioPattern(answerPattern, own, sample.share, stronger);
  const suspicious = patternWarning(scenario.id, pattern);
  if (suspicious !== null) warnings.push(suspicious);
  const drawn = exact ? NO_SAMPLING : samplingVariance(estimators["p-irt-dr"], sample, estimate.residuals);
  const sampling = drawn && form.estimator === "gate" ? gatedSampling(drawn, blended, described.tightening) : drawn;
  const { interval, reason } = scenarioInterval(form, described, estimate, sampling, score, range, level, exact);
  if (interval === null && reason !== null)
    warnings.push({ code: "no_interval", scenario: scenario.id, message: `${scenario.id}: no interval: ${reason}.` });
  const result: ScenarioResult = {
    score,
    interval,
    reason,
    exact,
    answered: sample.items.length,
    of,
    answeredShare: sample.share,
    range,
    percentile: percentile(score, sourceScores),
    details: {
      theta: Array.from(ability.theta),
      thetaStandardError: Array.from(ability.standardError),
      thetaStatus: ability.status,
      evidence: pooling === "joint" ? "together" : "alone",
      lambda: described.lambda,
      estimator: form.estimator,
      estimators,
      outside,
      pattern,
    },
  };
  return { result, bounds, sampling, tightening: described.tightening };
}

function unanswered(of: number): ScenarioResult {
  return {
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
}

/** With every item answered the score is known, and so is its place. */
function exactOutside(score: number, sourceScores: ArrayLike<number>): { above: number; below: number } {
  const rounding = 1e-6; // source scores are stored as float32
  return {
    above: score > sourceScores[sourceScores.length - 1]! + rounding ? 1 : 0,
    below: score < sourceScores[0]! - rounding ? 1 : 0,
  };
}

function scenarioInterval(
  form: FormManifest,
  described: MeasuredBlend,
  estimate: ScenarioEstimate,
  sampling: SamplingVariance | null,
  score: number,
  range: ScenarioResult["range"],
  level: number,
  exact: boolean,
): { interval: Interval | null; reason: string | null } {
  if (exact) return { interval: { low: score, high: score, level, method: "exact" }, reason: null };
  const { sample, bounds } = estimate;
  if (sample.share < LEAST_ANSWERED_SHARE)
    return {
      interval: null,
      reason: `only ${Math.round(100 * sample.share)} % of the anchors' weight was answered, below ${100 * LEAST_ANSWERED_SHARE} %`,
    };
  if (form.interval === "design")
    return sampling === null
      ? { interval: null, reason: "fewer than two anchors were answered" }
      : {
          interval: {
            ...designInterval({ score, bounds, sampling }, level),
            level,
            method: drawnMethod(form, [described]),
          },
          reason: null,
        };
  const position = ERROR_LEVELS.indexOf(level as (typeof ERROR_LEVELS)[number]);
  if (position < 0)
    return {
      interval: null,
      reason: `for anchors chosen by ${form.selection}, intervals are measured at the levels ${ERROR_LEVELS.join(", ")}`,
    };
  if (range === "outside")
    return { interval: null, reason: "the model lies outside the range seen, where the errors measured do not hold" };
  const error = described.measured.interpolation?.absoluteError[position] ?? null;
  if (error === null) return { interval: null, reason: "too few source models to measure the error at this level" };
  const low = Math.max(score - error, bounds.low);
  const high = Math.min(score + error, bounds.high);
  return { interval: { low, high, level, method: "cross-validated" }, reason: null };
}

/** What each suspicion may mean, and what to do. */
const MEANING: Readonly<Record<Suspicion, string>> = {
  memorised:
    "it is right on items that models like it get wrong, as if it knew them by heart: they may have been in its training data. Ask other items (another form, or new ones) and compare",
  guessing:
    "right and wrong hardly follow how hard the items are, as if answers were guessed or matched to the wrong items: check item ids, prompts, chat template and how answers are read off",
  broken:
    "hardly an answer is right, and no source model is that weak, as if the harness found no answers in the outputs: read a few outputs before believing the score",
};

/**
 * A pattern with what is suspicious about it, by the thresholds that the bundle was measured to have.
 * @param stronger - the model looks stronger than any source
 */
function scenarioPattern(
  pattern: AnswerPattern,
  { pattern: thresholds }: Pick<FormScenarioManifest, "pattern">,
  answeredShare: number,
  stronger: boolean,
): ScenarioPattern {
  const judged = thresholds != null && answeredShare >= LEAST_ANSWERED_SHARE;
  return { ...pattern, suspicions: judged ? suspicions(pattern, thresholds, stronger) : null };
}

/** One warning for all that is suspicious about a scenario's answers; null where nothing is. */
function patternWarning(scenario: string, { suspicions: found }: ScenarioPattern): EstimateWarning | null {
  if (found === null || found.length === 0) return null;
  return {
    code: "suspicious_pattern",
    scenario,
    message: `${scenario}: suspicious answers (${found.join(", ")}): ${found.map((own) => MEANING[own]).join("; ")}. About one model in fifty like those seen is flagged by mistake.`,
  };
}
