import { type Bundle, type BundleScenario, refuseFullScores } from "../../../sdk/core/bundle/bundle.ts";
import { AnchorEvalError, checkCall, type Issue, invalidOption } from "../../../sdk/core/errors.ts";
import {
  confidenceLevel,
  designInterval,
  type SampledScore,
  weightedScore,
} from "../../../sdk/core/inference/score-interval.ts";
import { studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { logit } from "../../../sdk/core/numeric/functions.ts";
import { predictedScores } from "../../../sdk/core/scoring/predicted-scores.ts";
import type { Reading } from "../../../sdk/estimate/door.ts";
import { scoreAnswers } from "../../../sdk/estimate/estimate-from-anchors.ts";
import { countAnswers, scenarioShares, type ScoredScenario } from "../../../sdk/estimate/overall-score.ts";
import { resolveAnswers } from "../../../sdk/estimate/resolve-answers.ts";
import type { Estimate, EstimateOptions, EstimateWarning, Integer, PassInterval } from "../../../sdk/estimate/types.ts";
import { spreadScore, type TrialsGoal } from "./chance-spread.ts";
import { estimateSummaries } from "./estimate-trials.ts";
import {
  checkedTrials,
  hasTrials,
  type ItemTrials,
  type TrialResponses,
  type TrialSummary,
} from "../../../sdk/tables/item-trials.ts";
import {
  bundleTrialMetric,
  parseTrialMetric,
  passCounts,
  summariseBlocks,
  type TrialMetric,
  trialMetricName,
} from "./pass-at-k.ts";
import { answeredItems } from "./trial-variances.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

/** A scenario's score of k trials; fractions. */
export interface PassResult {
  /** Null where nothing was answered, and `reason` says so. */
  readonly score: number | null;
  readonly interval: PassInterval | null;
  readonly reason: string | null;
  /** Anchors answered, and asked. */
  readonly answered: Integer;
  readonly of: Integer;
}

/** The result of `estimatePassAtK`. Scores are fractions in [0,1]. */
export interface PassEstimate extends PassResult, Pick<Estimate, "benchmark" | "version" | "form" | "digest"> {
  /** Such as `pass@16`. */
  readonly metric: string;
  /**
   * `unbiased`: from each anchor's unbiased estimate, as any score. `spread`: from passes by how chances vary about the response
   * model's, which may be fewer than k an item.
   */
  readonly basis: "unbiased" | "spread";
  readonly warnings: readonly EstimateWarning[];
  readonly scenarios: Readonly<Record<string, PassResult>>;
}

/** Predicted chances are kept this far from 0 and 1, as logits of nothing but certainty say no more. */
const LEAST_CHANCE = 1e-4;

/**
 * pass@k, pass^k or best-of-k of the whole benchmark, from trials of the anchors of one form. Synchronous; touches no network.
 *
 * A bundle fitted on that metric scores the unbiased estimates of its anchors, and its intervals count their own noise, which is
 * known from 2k trials an item on, and bounded with fewer. From another bundle it is
 * estimated by passes, also with fewer trials than k: chances are taken to vary about the response model's by one beta
 * distribution a scenario, which the trials and a prior tell of (`spreadScore`).
 * @param responses - trials by item id: lists of 0 and 1, or counts; a single answer is one trial
 * @param metric - such as `pass@16`
 * @returns scores for the chances themselves: what runs without end would show. Intervals are for all items of the benchmark
 * @throws AnchorEvalError as `estimateFromAnchors`; `invalid_option` for a metric that is none; `invalid_answers` for graded
 * trials where passes are counted, and for fewer than k trials where the bundle is of the metric; `unsupported` for a bundle of
 * another such metric, or of full scores on other items
 * @example
 * const { score, interval } = estimatePassAtK(bundle, { "gsm/17": [1, 0, 1, 0], "gsm/42": { passed: 0, of: 4 } }, "pass@16");
 */
export function estimatePassAtK(
  bundle: Bundle,
  responses: TrialResponses,
  metric: string,
  options: Omit<EstimateOptions, "formDigest"> = {},
): PassEstimate {
  checkCall(bundle, "loadBundle", options, {
    form: true,
    digest: true,
    level: "number",
    hashes: true,
    onChangedItem: true,
  });
  const asked = parseTrialMetric(metric);
  if (asked === null) throw invalidOption(`metric is pass@K, pass^K or best-of-K, got ${metric}`);
  const fitted = bundleTrialMetric(bundle.manifest);
  if (fitted !== null && fitted !== metric)
    throw new AnchorEvalError(
      "unsupported",
      `this bundle's scores are ${fitted}, which say nothing of ${metric}: ask for ${fitted}, or fit without \`metric\``,
    );
  refuseFullScores(bundle.manifest, "trials are");
  const checked = checkedTrials(responses);
  if (fitted === null && asked.k > 1)
    return fromSpread(bundle, checked.means, passes(checked.trials, asked), asked, options);
  const answers = fitted === null ? checked : unbiasedScores(checked.trials, asked);
  const scored = estimateSummaries(bundle, answers, options);
  const { overall, scenarios } = scored.trials;
  const results = Object.entries(scored.scenarios).map(
    ([id, result]) => [id, { ...result, interval: lookUp(scenarios, id)?.expected ?? result.interval }] as const,
  );
  const estimate = { ...scored, interval: overall.expected ?? scored.interval };
  return passEstimate(estimate, metric, "unbiased", Object.fromEntries(results));
}

/** A score of several trials: the one that is asked for, or the bundle's, where the answers have trials. */
export const passReading: Reading<{ readonly metric?: string }, PassEstimate> = {
  what: "a score of several trials such as pass@16",
  options: { metric: true },
  reads: ({ manifest }, answers, { metric }) =>
    metric !== undefined || (bundleTrialMetric(manifest) !== null && hasTrials(answers)),
  estimate: (bundle, answers, { metric, ...options }) =>
    estimatePassAtK(bundle, answers, metric ?? bundleTrialMetric(bundle.manifest)!, options),
};

interface Passes {
  readonly passed: number;
  readonly of: number;
}

function fromSpread(
  bundle: Bundle,
  means: ReadonlyMap<string, number | null>,
  counts: ReadonlyMap<string, Passes>,
  metric: TrialMetric,
  options: Omit<EstimateOptions, "formDigest">,
): PassEstimate {
  const level = confidenceLevel(options.level);
  const resolved = resolveAnswers(bundle, means, options);
  const { form, scores } = resolved;
  const { estimate, scenarios } = scoreAnswers(bundle, form, scores, level, resolved.whole);
  const goal: TrialsGoal = { need: metric.kind === "pass^" ? "all" : "any", k: metric.k };
  const parts = new Map<string, SampledScore>();
  const results = new Map<string, PassResult>();
  for (const [id, scored] of scenarios) {
    const { interval, reason, answered, of } = scored.result;
    const answers = answeredItems(bundle, resolved, id);
    const spread = scenarioSpread(bundle.scenarios.get(id)!, answers, scored, { counts, goal });
    if (spread) parts.set(id, spread);
    const measured = spread !== null && interval !== null;
    results.set(id, {
      score: spread?.score ?? null,
      interval: measured ? spreadInterval(spread, level) : null,
      reason: measured ? null : reason,
      answered,
      of,
    });
  }
  const shares = scenarioShares(bundle.manifest);
  const whole = estimate.score !== null && shares.every(({ id }) => parts.has(id));
  const sum = whole ? weightedScore(shares.map(({ id, share }) => ({ share, ...parts.get(id)! }))) : null;
  const bounded = whole && shares.every(({ id }) => results.get(id)!.interval !== null);
  const overall = {
    ...estimate,
    score: sum?.score ?? null,
    interval: sum && bounded ? spreadInterval(sum, level) : null,
    reason: bounded ? null : estimate.reason,
    ...countAnswers([...results.values()]),
    warnings: [...resolved.warnings, ...estimate.warnings.map(ofAnswers)],
  };
  return passEstimate(overall, trialMetricName(metric), "spread", Object.fromEntries(results));
}

/** A warning of missing answers without what the mean score would be, which this score isn't. */
function ofAnswers(warning: EstimateWarning): EstimateWarning {
  if (warning.code !== "missing_answers") return warning;
  return { ...warning, message: `${warning.message.split(";")[0]!}; they are taken to be missing at random.` };
}

function scenarioSpread(
  { bank, weights, scoreMap }: BundleScenario,
  answered: ReturnType<typeof answeredItems>,
  { result: { details } }: ScoredScenario,
  { counts, goal }: { readonly counts: ReadonlyMap<string, Passes>; readonly goal: TrialsGoal },
): SampledScore | null {
  if (answered === null || details === null) return null;
  const { sample, ids } = answered;
  const tried = ids.map((item) => counts.get(item)!);
  const logits = predictedScores(Float64Array.from(details.theta), bank, scoreMap).map((p) =>
    logit(Math.min(1 - LEAST_CHANCE, Math.max(LEAST_CHANCE, p))),
  );
  const { items, mass } = sample;
  const passed = tried.map((item) => item.passed);
  const spread = spreadScore({ logits, weights, items, mass, passed, of: tried.map((item) => item.of) }, goal);
  const degrees = Math.max(1, items.length - FITTED);
  const right = tried.reduce((total, item) => total + item.passed / item.of, 0);
  const sampling = { variance: spread.variance, degrees, answers: items.length, right, unit: 0, bias: spread.misfit };
  return { score: spread.score, bounds: { low: 0, high: 1 }, sampling };
}

/** Figures that a scenario's trials tell of the spread of its chances: α₀, α₁ and φ. */
const FITTED = 3;

/**
 * The wider to either side of Wilson's interval and ŝ ± t√(V + b²): a model unlike the sources has its score off to either
 * side, and where it is near 0 or 1 only one of them is wide enough to that side.
 */
function spreadInterval(sampled: SampledScore, level: number): PassResult["interval"] {
  const { score, sampling } = sampled;
  const { low, high } = designInterval(sampled, level);
  const half =
    studentTQuantile(0.5 + level / 2, sampling.degrees) * Math.hypot(Math.sqrt(sampling.variance), sampling.bias);
  return { low: Math.max(0, Math.min(low, score - half)), high: Math.min(1, Math.max(high, score + half)), level };
}

/** The metric's unbiased estimate of every item, and how well it is known. */
function unbiasedScores(
  trials: ReadonlyMap<string, ItemTrials>,
  metric: TrialMetric,
): { readonly means: Map<string, number>; readonly summaries: Map<string, TrialSummary> } {
  const summaries = new Map<string, TrialSummary>();
  const issues: Issue[] = [];
  for (const [id, cell] of trials)
    try {
      summaries.set(id, summariseBlocks(cell, metric)!);
    } catch (error) {
      if (!(error instanceof AnchorEvalError)) throw error;
      issues.push({ path: ["responses", id], code: "trials", message: `${id}: ${error.message}` });
    }
  refuse(issues);
  return { means: new Map([...summaries].map(([id, { mean }]) => [id, mean])), summaries };
}

/** Passes and trials of every item. */
function passes(trials: ReadonlyMap<string, ItemTrials>, { kind }: TrialMetric): Map<string, Passes> {
  const counts = new Map<string, Passes>();
  const issues: Issue[] = [];
  const advice =
    kind === "best-of-" ? "best-of-K of graded scores needs a bundle fitted with `metric`" : "they are 0 or 1";
  for (const [id, cell] of trials) {
    const count = passCounts(cell);
    if (count) counts.set(id, count);
    else
      issues.push({
        path: ["responses", id],
        code: "graded",
        message: `${id}: trials that pass or don't are needed, ${advice}`,
      });
  }
  refuse(issues);
  return counts;
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const more = issues.length > 1 ? ", …" : "";
  throw new AnchorEvalError(
    "invalid_answers",
    `${issues.length} ${issues.length === 1 ? "item" : "items"} can't be scored: ${issues[0]!.message}${more}`,
    { issues },
  );
}

function passEstimate(
  estimate: Pick<Estimate, "benchmark" | "version" | "form" | "digest" | "warnings"> & PassResult,
  metric: string,
  basis: PassEstimate["basis"],
  scenarios: Readonly<Record<string, PassResult>>,
): PassEstimate {
  const { benchmark, version, form, digest, warnings } = estimate;
  const results = Object.fromEntries(Object.entries(scenarios).map(([id, result]) => [id, passResult(result)]));
  return { benchmark, version, form, digest, metric, basis, ...passResult(estimate), warnings, scenarios: results };
}

function passResult({ score, interval, reason, answered, of }: PassResult): PassResult {
  const bounds = interval && { low: interval.low, high: interval.high, level: interval.level };
  return { score, interval: bounds, reason, answered, of };
}
