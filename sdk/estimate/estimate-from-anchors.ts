import { type Bundle, type BundleScenario, estimandWords } from "../core/bundle/bundle.ts";
import { checkCall, type OptionNames, requireNumbers } from "../core/errors.ts";
import { ERROR_LEVELS, lookUp } from "../core/bundle/names.ts";
import type { FormManifest, MeasuredBlend, MeasuredErrors } from "../core/bundle/manifest.ts";
import { LEAST_ANSWERED_SHARE } from "../core/estimators/answered-sample.ts";
import { blendEstimates } from "../core/estimators/blend-estimates.ts";
import { leapOf } from "../core/estimators/logit-shift.ts";
import { estimatorFigure, type SeenModels, type Tightening } from "../core/estimators/types.ts";
import { confidenceLevel, designInterval } from "../core/inference/score-interval.ts";
import {
  atLeastBinomial,
  gatedSampling,
  gatedVariance,
  NO_SAMPLING,
  type SamplingVariance,
} from "../core/inference/sampling-variance.ts";
import { percentile, scoreRange } from "../core/inference/ranks.ts";
import { type Suspicion, suspicions } from "../core/person-fit/answer-pattern.ts";
import { disorder, MOST_DISORDER } from "../core/person-fit/disorder.ts";
import { answerCurves } from "../core/person-fit/statistics.ts";
import { type ScenarioEstimate, wholeEstimate } from "../core/scoring/scenario-estimate.ts";
import type { ModelEstimate, Pooling } from "../core/scoring/scoring-model.ts";
import { bundleScoring } from "./bundle-scoring.ts";
import {
  countAnswers,
  drawnMethod,
  measuredError,
  servedPlace,
  overallScore,
  type ScoredScenario,
  stated,
} from "./overall-score.ts";
import { resolveAnswers, type WholeScenario } from "./resolve-answers.ts";
import type { Estimate, EstimateOptions, EstimateWarning, Interval, ScenarioResult, WarningCode } from "./types.ts";
import type { Responses } from "../tables/item-trials.ts";
import { COMPLETIONS } from "../../features/sdk-complete.ts";

/** Source models below which errors on held-out models say nothing of new ones. */
const LEAST_SOURCES = 12;

/** Meaning of each suspicion, and advice. */
const MEANING: Readonly<Record<Suspicion, string>> = {
  memorised:
    "right on items that models like it get wrong, as if known from training data: ask another form, or new items, and compare",
  guessing:
    "right and wrong hardly follow difficulty, as if guessed or matched to the wrong items: check item ids, prompts, chat template and how answers are read off",
  broken:
    "hardly an answer is right, and no source model is that weak, as if none were found in the outputs: read a few of them",
};

export const ESTIMATE_OPTIONS: OptionNames<EstimateOptions> = {
  form: true,
  formDigest: true,
  digest: true,
  level: "number",
  hashes: true,
  onChangedItem: true,
};

const UNCHECKED: EstimateWarning = {
  code: "unchecked_manifest",
  message: "The bundle's manifest has no checksum (format before 1.4), so damage to it may go unseen: fit it again.",
};

/**
 * The full score of a model, from its answers to the anchors of one form; exact where every item of a scenario is
 * answered. Answers to other items, or to none, are named and counted in warnings. Synchronous; touches no network.
 *
 * @param bundle - from `loadBundle`
 * @param responses - scores in [0,1] by item id (order can't matter); null or absent = no answer
 * @returns overall and per-scenario scores with intervals, abilities, every estimator, and warnings in plain words
 * @throws AnchorEvalError `invalid_answers` (with one issue for each bad answer; for answers of which hardly any is to an
 * anchor; for answers to no anchor of a bundle that was loaded without the names of its items), `ambiguous_form`, `unknown_form`,
 * `digest_mismatch`, `item_changed`, `invalid_option`
 * @example
 * const bundle = await loadBundle("https://evals.example.com/v1/bundles/helm-lite/1.0.0");
 * const { score, interval } = estimateFromAnchors(bundle, { "gsm/17": 1, "gsm/42": 0 });
 */
export function estimateFromAnchors(bundle: Bundle, responses: Responses, options: EstimateOptions = {}): Estimate {
  checkCall(bundle, "loadBundle", options, ESTIMATE_OPTIONS);
  const level = confidenceLevel(options.level);
  const { form, scores, whole, warnings } = resolveAnswers(bundle, responses, options);
  const scored = scoreAnswers(bundle, form, scores, level, whole);
  const estimate = completed(bundle, scored, level);
  return { ...estimate, warnings: [...warnings, ...estimate.warnings] };
}

/** An estimate with what features tell from its scenarios. @param scored - {@link scoreAnswers} */
export function completed(
  bundle: Bundle,
  { estimate, scenarios }: Pick<ReturnType<typeof scoreAnswers>, "estimate" | "scenarios">,
  level: number,
): Estimate {
  return COMPLETIONS.reduce((before, complete) => complete(bundle, before, scenarios, level), estimate);
}

/**
 * The estimate of a model from checked answers, and what its intervals rest on by scenario.
 * @param formId - of one of the bundle's forms
 * @param scores - by loaded scenario, aligned with the form's anchors; NaN = no answer
 * @param whole - scenarios of which every item was answered: their scores are exact
 */
export function scoreAnswers(
  bundle: Bundle,
  formId: string,
  scores: ReadonlyMap<string, Float64Array>,
  level: number,
  whole: ReadonlyMap<string, WholeScenario> = new Map(),
): {
  readonly estimate: Estimate;
  readonly model: ModelEstimate;
  readonly scenarios: ReadonlyMap<string, ScoredScenario>;
} {
  const form = bundle.manifest.forms.find((candidate) => candidate.id === formId)!;
  const warnings: EstimateWarning[] = bundle.manifest.checksum ? [] : [UNCHECKED];
  const scenarios = new Map<string, ScoredScenario>();
  const model = bundleScoring(bundle, form.id).estimate(scores);
  const overall = servedPlace(bundle.manifest, form, model);
  for (const [id, scenario] of bundle.scenarios) {
    if (model.ability(id, servedPooling(form, id, model))?.status === "max-iterations")
      warnings.push({
        code: "ability_not_converged",
        message: `The ability of ${id} did not converge; its scores rest on the last step.`,
      });
    const answers = { scores: scores.get(id)!, whole: whole.get(id)?.scores };
    scenarios.set(id, scenarioResult(scenario, answers, { form, model, overall, level, warnings }));
  }
  const lacking = model.pooled
    ? []
    : [...scenarios].filter(([, { result }]) => result.answeredShare < LEAST_ANSWERED_SHARE);
  if (lacking.length > 0 && Object.values(form.scenarios).some(({ together }) => together !== null))
    warnings.push({
      code: "estimated_separately",
      message: `Every scenario rests on its own answers alone: less than ${100 * LEAST_ANSWERED_SHARE} % of the anchors' weight was answered in ${lacking.map(([id]) => id).join(", ")}.`,
    });
  const results = Object.fromEntries(Array.from(scenarios, ([id, { result }]) => [id, result]));
  const estimand = estimandWords(bundle.manifest);
  const estimate: Estimate = {
    benchmark: bundle.manifest.benchmark,
    version: bundle.manifest.version,
    form: formId,
    digest: bundle.digest,
    ...overallScore(bundle.manifest, form, scenarios, level),
    ...countAnswers(Object.values(results)),
    warnings,
    ...(estimand !== null && { estimand }),
    scenarios: results,
  };
  return { estimate, model, scenarios };
}

/** All scenarios' answers where these can be pooled and err less for this scenario, else its own. */
function servedPooling(form: FormManifest, id: string, model: ModelEstimate): Pooling {
  return model.pooled && lookUp(form.scenarios, id)!.together !== null ? "pooled" : "separate";
}

/** Parts of a scenario's result beside its answers. */
interface ResultOptions {
  readonly form: FormManifest;
  readonly model: ModelEstimate;
  /** Where the model stands by all scenarios. */
  readonly overall: SeenModels["overall"];
  readonly level: number;
  /** To which the scenario's are added. */
  readonly warnings: EstimateWarning[];
}

function scenarioResult(
  scenario: BundleScenario,
  { scores, whole }: { readonly scores: Float64Array; readonly whole: Float64Array | undefined },
  { form, model, overall, level, warnings }: ResultOptions,
): ScoredScenario {
  const pooling = servedPooling(form, scenario.id, model);
  const { together, ...separate } = lookUp(form.scenarios, scenario.id)!;
  const described: MeasuredBlend = pooling === "pooled" ? together! : separate;
  const { bank, sourceScores } = scenario;
  const of = whole?.length ?? scores.length;
  const ability = model.ability(scenario.id, pooling);
  const fromAnchors = model.scenario(scenario.id, pooling);
  const answerPattern = model.pattern(scenario.id);
  if (ability === null || answerPattern === null || fromAnchors === null)
    return { result: unanswered(of), bounds: { low: 0, high: 1 }, sampling: null, tightening: null, gated: null };

  const estimate = whole ? wholeEstimate(fromAnchors, scenario.weights, whole) : fromAnchors;
  const { sample, bounds } = estimate;
  const seen = { worst: sourceScores[0]!, best: sourceScores.at(-1)!, overall };
  const blended = blendEstimates(estimate, described, seen);
  const { estimators } = blended;
  const score = estimatorFigure(estimators, form.estimator);
  const all = sample.items.length === bank.count;
  const exact = all && scenario.fullScore === null;
  const outside = exact ? exactOutside(score, sourceScores) : blended.outside;
  // A few answers tell nothing of a model's place, as they tell of no interval.
  const isPlaced = sample.share >= LEAST_ANSWERED_SHARE;
  const range = isPlaced ? scoreRange(outside) : null;
  const stronger = range === "outside" && outside.above > outside.below;
  const warn = (code: WarningCode, words: string): void =>
    void warnings.push({ code, scenario: scenario.id, message: `${scenario.id}: ${words}` });
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
  const byThresholds =
    isPlaced && separate.pattern
      ? suspicions(answerPattern, separate.pattern, stronger ? leapOf(score, seen) : null)
      : null;
  const loose =
    isPlaced && byThresholds === null
      ? disorder(
          fromAnchors.sample,
          answerCurves(bank, model.ability(scenario.id, "separate")!.theta, fromAnchors.sample),
        )
      : null;
  const suspected = byThresholds ?? (loose === null ? null : loose > MOST_DISORDER ? (["guessing"] as const) : []);
  // Held-out models whose answers are like a model's tell of its errors, others don't: not narrowed.
  const tightening = suspected?.length ? { inside: 1, outside: 1 } : described.tightening;
  if (suspected?.length)
    warn(
      "suspicious_pattern",
      `suspicious answers (${suspected.join(", ")}): ${suspected.map((suspicion) => MEANING[suspicion]).join("; ")}. Of honest models one in ${loose === null ? "fifty" : "a hundred"} is flagged.`,
    );
  const drawn = exact ? NO_SAMPLING : estimate.sampling;
  const gated = drawn && form.estimator === "gate" && !exact ? gatedVariance(blended, tightening, drawn) : null;
  const served = drawn && gated ? gatedSampling(drawn, gated, blended) : drawn;
  const few = !exact && !(sourceScores.length >= LEAST_SOURCES && described.measured.interpolation);
  const sampling = served && few ? atLeastBinomial(served, score) : served;
  if (few)
    warn(
      "few_source_models",
      "too few source models to measure the error: the interval is at least that of as many random items.",
    );
  const interval: Interval | string = exact
    ? { low: score, high: score, level, method: "exact" }
    : scenarioInterval(form, estimate, { measured: described.measured, tightening, sampling, score, range, level });
  if (typeof interval === "string") warn("no_interval", `no interval: ${interval}.`);
  const { low, high } = typeof interval === "string" ? { low: 0, high: 1 } : interval;
  const figures = [score, low, high, outside.above, outside.below, ...Object.values(estimators)];
  requireNumbers(scenario.id, [...figures, ...ability.theta, ...ability.standardError]);
  const result: ScenarioResult = {
    score,
    ...stated(interval),
    exact,
    answered: sample.items.length,
    of,
    answeredShare: sample.share,
    range,
    percentile: isPlaced ? percentile(score, sourceScores) : null,
    details: {
      theta: Array.from(ability.theta),
      thetaStandardError: Array.from(ability.standardError),
      thetaStatus: ability.status,
      evidence: pooling === "pooled" ? "together" : "alone",
      lambda: described.lambda,
      estimator: form.estimator,
      estimators,
      outside,
      pattern: { ...answerPattern, ...(loose !== null && { disorder: loose }), suspicions: suspected },
    },
  };
  return { result, bounds, sampling, tightening, gated };
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

/** Evidence that the interval of a score rests on. */
interface IntervalEvidence {
  readonly measured: MeasuredErrors;
  readonly tightening: Tightening;
  readonly sampling: SamplingVariance | null;
  readonly score: number;
  readonly range: ScenarioResult["range"];
  readonly level: number;
}

/** The interval of a score that isn't exact, or why there is none. */
function scenarioInterval(
  form: FormManifest,
  { sample, bounds }: ScenarioEstimate,
  { measured, tightening, sampling, score, range, level }: IntervalEvidence,
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
  const error = measuredError(measured, level);
  if (error === null) return "too few source models to measure the error at this level";
  const low = Math.max(score - error, bounds.low);
  const high = Math.min(score + error, bounds.high);
  return { low, high, level, method: "cross-validated" };
}
