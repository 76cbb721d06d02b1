import { type Bundle, estimandWords } from "../core/bundle/bundle.ts";
import { checkCall, type OptionNames } from "../core/errors.ts";
import { LEAST_ANSWERED_SHARE } from "../core/estimators/answered-sample.ts";
import { confidenceLevel } from "../core/inference/score-interval.ts";
import type { ModelEstimate } from "../core/scoring/scoring-model.ts";
import { bundleScoring } from "./bundle-scoring.ts";
import { countAnswers, servedPlace, overallScore, type ScoredScenario } from "./overall-score.ts";
import { resolveAnswers, type WholeScenario } from "./resolve-answers.ts";
import { servedPooling } from "./scenario-evidence.ts";
import { scenarioResult } from "./scenario-result.ts";
import type { Estimate, EstimateOptions, EstimateWarning } from "./types.ts";
import type { Responses } from "../tables/item-trials.ts";
import { COMPLETIONS } from "../../features/sdk-complete.ts";

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
    const pooling = servedPooling(form, id, model);
    if (model.ability(id, pooling)?.status === "max-iterations")
      warnings.push({
        code: "ability_not_converged",
        message: `The ability of ${id} did not converge; its scores rest on the last step.`,
      });
    const answers = { asked: scores.get(id)!.length, whole: whole.get(id)?.scores };
    const { warnings: said, ...scored } = scenarioResult(scenario, answers, { form, model, pooling, overall }, level);
    warnings.push(...said);
    scenarios.set(id, scored);
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
