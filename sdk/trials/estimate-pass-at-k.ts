import { type Bundle, refuseFullScores } from "../core/bundle/bundle.ts";
import { AnchorEvalError, type Issue } from "../core/errors.ts";
import { answeredSample } from "../core/estimators/answered-sample.ts";
import { confidenceLevel } from "../core/inference/score-interval.ts";
import { normalQuantile } from "../core/numeric/distributions.ts";
import { logit } from "../core/numeric/functions.ts";
import { predictedScores } from "../core/scoring/predicted-scores.ts";
import { estimateFromAnchors, scoreAnswers } from "../estimate/estimate-from-anchors.ts";
import { countAnswers, scenarioShares, type ScoredScenario } from "../estimate/overall-score.ts";
import { droppedWarnings, resolveAnswers } from "../estimate/resolve-answers.ts";
import type { Estimate, EstimateOptions, EstimateWarning, Interval } from "../estimate/types.ts";
import { type SpreadScore, spreadScore, type TrialsGoal } from "./chance-spread.ts";
import { estimateTrials } from "./estimate-trials.ts";
import { checkedTrials, type TrialResponses } from "./item-trials.ts";
import {
  bundleTrialMetric,
  parseTrialMetric,
  passCounts,
  type TrialMetric,
  trialMetricName,
  trialScore,
} from "./pass-at-k.ts";
import type { ItemTrials } from "./types.ts";

/** A scenario's score of k trials; fractions. */
export interface PassResult {
  /** Null where nothing was answered, and `reason` says so. */
  readonly score: number | null;
  readonly interval: Pick<Interval, "low" | "high" | "level"> | null;
  readonly reason: string | null;
  /** Anchors answered, and asked. */
  readonly answered: number;
  readonly of: number;
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
  readonly scenarios: Readonly<Record<string, PassResult>>;
  readonly warnings: readonly EstimateWarning[];
}

/** Half-widths relative to the posterior's deviation: what held-out families needed on four code benchmarks (bench/pass-at-k.js). */
const SPREAD_WIDENING = 1.4;

/** Predicted chances are kept this far from 0 and 1, as logits of nothing but certainty say no more. */
const LEAST_CHANCE = 1e-4;

/**
 * pass@k, pass^k or best-of-k of the whole benchmark, from trials of the anchors of one form. Synchronous; touches no network.
 *
 * A bundle fitted on that metric scores the unbiased estimates of its anchors as any answers. From another bundle it is
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
  const asked = parseTrialMetric(metric);
  if (asked === null)
    throw new AnchorEvalError("invalid_option", `metric is pass@K, pass^K or best-of-K, got ${metric}`);
  const own = bundleTrialMetric(bundle.manifest);
  if (own !== null && own !== metric)
    throw new AnchorEvalError(
      "unsupported",
      `this bundle's scores are ${own}, which say nothing of ${metric}: ask for ${own}, or fit without --metric`,
    );
  refuseFullScores(bundle.manifest, "trials are");
  const { means } = checkedTrials(responses);
  const trials = new Map<string, ItemTrials>();
  const entries: Iterable<[string, number | null | ItemTrials]> =
    responses instanceof Map ? responses : Object.entries(responses);
  for (const [id, value] of entries)
    if (value !== null && means.get(id) != null) trials.set(id, typeof value === "number" ? [value] : value);
  if (own !== null) {
    const found = estimateFromAnchors(bundle, unbiasedScores(trials, asked), options);
    return passEstimate(found, metric, "unbiased", found.scenarios);
  }
  if (asked.k === 1) {
    const found = estimateTrials(bundle, responses, options);
    const { overall, scenarios } = found.trials;
    const results = Object.entries(found.scenarios).map(
      ([id, result]) => [id, { ...result, interval: scenarios[id]?.expected ?? result.interval }] as const,
    );
    const estimate = { ...found, interval: overall.expected ?? found.interval };
    return passEstimate(estimate, metric, "unbiased", Object.fromEntries(results));
  }
  return fromSpread(bundle, means, passes(trials, asked), asked, options);
}

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
  const { form, scores, dropped } = resolveAnswers(bundle, means, options);
  const { estimate, scenarios } = scoreAnswers(bundle, form, scores, level);
  const goal: TrialsGoal = { need: metric.kind === "pass^" ? "all" : "any", k: metric.k };
  const parts = new Map<string, SpreadScore>();
  const results: Record<string, PassResult> = {};
  for (const [id, scored] of scenarios) {
    const { interval, reason, answered, of } = scored.result;
    const found = scenarioSpread(bundle, form, id, scores.get(id)!, scored, counts, goal);
    if (found) parts.set(id, found);
    const known = found !== null && interval !== null;
    results[id] = {
      score: found?.score ?? null,
      interval: known ? widenedInterval(found, level) : null,
      reason: known ? null : reason,
      answered,
      of,
    };
  }
  const shares = scenarioShares(bundle.manifest);
  const whole = estimate.score !== null && shares.every(({ id }) => parts.has(id));
  const sum = { score: 0, variance: 0 };
  if (whole)
    for (const { id, share } of shares) {
      sum.score += share * parts.get(id)!.score;
      sum.variance += share ** 2 * parts.get(id)!.variance;
    }
  const bounded = whole && shares.every(({ id }) => results[id]!.interval !== null);
  const overall = {
    ...estimate,
    score: whole ? Math.min(1, sum.score) : null,
    interval: bounded ? widenedInterval(sum, level) : null,
    reason: bounded ? null : estimate.reason,
    ...countAnswers(Object.values(results)),
    warnings: [...droppedWarnings(dropped), ...estimate.warnings.map(ofAnswers)],
  };
  return passEstimate(overall, trialMetricName(metric), "spread", results);
}

/** A warning of missing answers without what the mean score would be, which this score isn't. */
function ofAnswers(warning: EstimateWarning): EstimateWarning {
  if (warning.code !== "missing_answers") return warning;
  return { ...warning, message: `${warning.message.split(";")[0]!}; they are taken to be missing at random.` };
}

function scenarioSpread(
  bundle: Bundle,
  form: string,
  id: string,
  scores: Float64Array,
  { result: { details } }: ScoredScenario,
  counts: ReadonlyMap<string, Passes>,
  goal: TrialsGoal,
): SpreadScore | null {
  const { bank, weights, scoreMap, forms } = bundle.scenarios.get(id)!;
  const { anchors, itemIds } = forms.get(form)!;
  const sample = answeredSample(anchors, scores);
  if (sample === null || details === null) return null;
  const tried = Array.from(sample.positions, (at) => counts.get(itemIds[at]!)!);
  const logits = predictedScores(Float64Array.from(details.theta), bank, scoreMap).map((p) =>
    logit(Math.min(1 - LEAST_CHANCE, Math.max(LEAST_CHANCE, p))),
  );
  const passed = tried.map((own) => own.passed);
  return spreadScore(
    { logits, weights, items: sample.items, mass: sample.mass, passed, of: tried.map((own) => own.of) },
    goal,
  );
}

function widenedInterval({ score, variance }: Pick<SpreadScore, "score" | "variance">, level: number) {
  const half = SPREAD_WIDENING * normalQuantile(0.5 + level / 2) * Math.sqrt(variance);
  return { low: Math.max(0, score - half), high: Math.min(1, score + half), level };
}

/** The metric's unbiased estimate of every item. */
function unbiasedScores(trials: ReadonlyMap<string, ItemTrials>, metric: TrialMetric): Map<string, number> {
  const scores = new Map<string, number>();
  const issues: Issue[] = [];
  for (const [id, own] of trials)
    try {
      scores.set(id, trialScore(own, metric)!);
    } catch (error) {
      if (!(error instanceof AnchorEvalError)) throw error;
      issues.push({ path: ["responses", id], code: "trials", message: `${id}: ${error.message}` });
    }
  refuse(issues);
  return scores;
}

/** Passes and trials of every item. */
function passes(trials: ReadonlyMap<string, ItemTrials>, { kind }: TrialMetric): Map<string, Passes> {
  const counts = new Map<string, Passes>();
  const issues: Issue[] = [];
  const advice =
    kind === "best-of-" ? "best-of-K of graded scores needs a bundle fitted with --metric" : "they are 0 or 1";
  for (const [id, own] of trials) {
    const found = passCounts(own);
    if (found) counts.set(id, found);
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
  {
    benchmark,
    version,
    form,
    digest,
    score,
    interval,
    reason,
    answered,
    of,
    warnings,
  }: Pick<Estimate, "benchmark" | "version" | "form" | "digest" | "warnings"> & PassResult,
  metric: string,
  basis: PassEstimate["basis"],
  scenarios: Readonly<Record<string, PassResult>>,
): PassEstimate {
  const results = Object.fromEntries(Object.entries(scenarios).map(([id, result]) => [id, passResult(result)]));
  const own = passResult({ score, interval, reason, answered, of });
  return { benchmark, version, form, digest, metric, basis, ...own, warnings, scenarios: results };
}

function passResult({ score, interval, reason, answered, of }: PassResult): PassResult {
  const bounds = interval && { low: interval.low, high: interval.high, level: interval.level };
  return { score, interval: bounds, reason, answered, of };
}
