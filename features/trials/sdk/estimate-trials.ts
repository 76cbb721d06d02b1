import { type Bundle, refuseFullScores } from "../../../sdk/core/bundle/bundle.ts";
import { AnchorEvalError, checkCall, invalidOption, type OptionNames } from "../../../sdk/core/errors.ts";
import {
  confidenceLevel,
  designInterval,
  type SampledScore,
  weightedScore,
} from "../../../sdk/core/inference/score-interval.ts";
import { type KnownVariance, satterthwaite } from "../../../sdk/core/inference/sampling-variance.ts";
import { normalQuantile } from "../../../sdk/core/numeric/distributions.ts";
import type { Reading } from "../../../sdk/estimate/door.ts";
import { completed, scoreAnswers } from "../../../sdk/estimate/estimate-from-anchors.ts";
import { scenarioShares } from "../../../sdk/estimate/overall-score.ts";
import { resolveAnswers } from "../../../sdk/estimate/resolve-answers.ts";
import type { Estimate, EstimateOptions, EstimateWarning, Integer, Interval } from "../../../sdk/estimate/types.ts";
import { bundleComponents } from "./components.ts";
import type { VarianceComponents } from "../core.ts";
import { checkedTrials, hasTrials, type TrialResponses } from "../../../sdk/tables/item-trials.ts";
import { bundleTrialMetric } from "./pass-at-k.ts";
import { sameTrials, trialsPerItem, trialVariances, type TrialVariances, weakestBasis } from "./trial-variances.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

/** How answers over trials are read. */
export interface TrialOptions extends Omit<EstimateOptions, "formDigest"> {
  /** The group of each item whose answers go together, such as its repository: the intervals over tasks count groups. */
  readonly clusters?: ReadonlyMap<string, string>;
}

/** Draws that intervals count beside that of the anchors. */
export interface RepeatedOptions {
  /** Intervals over runs and tasks of single answers, too; trials have them anyway. */
  readonly over?: "runs" | "tasks";
  /** The group of each item whose answers go together, for intervals over tasks. */
  readonly clusters?: Readonly<Record<string, string>> | ReadonlyMap<string, string>;
}

/** A score's intervals by what they are for; null where there is none. */
export interface TrialIntervals {
  /** For the score that this run would have got on all items: the anchors were drawn. */
  readonly run: Interval | null;
  /** For the model's expected score over runs on these items: its answers are drawn, too. */
  readonly expected: Interval | null;
  /** For the model's expected score on tasks like these: the items are taken for a draw of such tasks. */
  readonly tasks: Interval | null;
  /** Standard deviation of the score of all items from run to run, in as many trials an item, a fraction. */
  readonly runDeviation: number | null;
  /** How a run's noise is known: by this model's trials, by those of the source models, or only how large it can be. */
  readonly basis: "trials" | "components" | "bound" | null;
}

/** The result of `estimateTrials`: an estimate, and how well its score is known over runs and over tasks. */
export interface TrialEstimate extends Estimate {
  /** How well the score is known over runs and over tasks. */
  readonly trials: {
    /** Trials with a score, over all items. */
    readonly count: Integer;
    /** Trials an item, the harmonic mean. */
    readonly perItem: number;
    readonly overall: TrialIntervals;
    readonly scenarios: Readonly<Record<string, TrialIntervals>>;
  };
}

const TRIAL_OPTIONS: OptionNames<TrialOptions> = {
  form: true,
  digest: true,
  level: "number",
  hashes: true,
  onChangedItem: true,
  clusters: true,
};

const NO_INTERVALS: TrialIntervals = { run: null, expected: null, tasks: null, runDeviation: null, basis: null };

/**
 * The full score of a model from several trials of each anchor: the estimate from the items' means, with intervals for this
 * run's score on all items ȳ_N, for the model's expected score over runs E, and for that on tasks like these. Synchronous;
 * touches no network.
 *
 * Ŝ − E = (Ŝ − ȳ_N) + (ȳ_N − E): the draw of the anchors, and that of the answers to all items, which have nothing in
 * common, so that their variances add up; over tasks that of the items comes in place of the second (`trialVariances`).
 * @param responses - scores, lists of scores or counts by item id
 * @throws AnchorEvalError as `estimateFromAnchors`; `invalid_answers` for trials that are none; `unsupported` for a bundle of
 * a score of several trials, or of full scores on other items
 * @see Miller (2024), Adding Error Bars to Evals; Brennan (2001), Generalizability Theory, ch. 3
 * @example
 * const { score, trials } = estimateTrials(bundle, { "gsm/17": [1, 0, 1], "gsm/42": { passed: 3, of: 5 } });
 * trials.overall.expected;
 */
export function estimateTrials(bundle: Bundle, responses: TrialResponses, options: TrialOptions = {}): TrialEstimate {
  checkCall(bundle, "loadBundle", options, TRIAL_OPTIONS);
  const metric = bundleTrialMetric(bundle.manifest);
  if (metric !== null)
    throw new AnchorEvalError(
      "unsupported",
      `this bundle's scores are ${metric}, which means of trials aren't: ask for the metric ${metric}`,
    );
  return estimateSummaries(bundle, checkedTrials(responses), options);
}

/** Several trials of an item, or intervals over runs and tasks of single answers. */
export const trialReading: Reading<RepeatedOptions, TrialEstimate> = {
  what: "the mean of the trials",
  options: { over: true, clusters: true },
  reads: ({ manifest }, answers, { over, clusters }) =>
    over !== undefined || clusters !== undefined || bundleComponents(manifest).size > 0 || hasTrials(answers),
  estimate: (bundle, answers, { over, clusters, ...options }) => {
    if (over !== undefined && !["runs", "tasks"].includes(over))
      throw invalidOption(`over must be runs or tasks, got ${over}`);
    const groups = clusters && (clusters instanceof Map ? clusters : new Map(Object.entries(clusters)));
    return estimateTrials(bundle, answers, { ...options, ...(groups && { clusters: groups }) });
  },
};

/** {@link estimateTrials} from every item's score, and the number and the variance of the trials that it is the mean of. */
export function estimateSummaries(
  bundle: Bundle,
  { means, summaries }: Pick<ReturnType<typeof checkedTrials>, "means" | "summaries">,
  options: TrialOptions,
): TrialEstimate {
  const { manifest } = bundle;
  refuseFullScores(manifest, "trials are");
  const level = confidenceLevel(options.level);
  const resolved = resolveAnswers(bundle, means, options);
  const { form, scores, whole, counts } = resolved;
  const scored = scoreAnswers(bundle, form, scores, level, whole);
  const estimate = completed(bundle, scored, level);
  const components = bundleComponents(manifest);
  const tables = { summaries, clusters: options.clusters };
  const parts = new Map<string, TrialPart>();
  for (const [id, part] of scored.scenarios) {
    const variances = trialVariances(bundle, resolved, id, part, { ...tables, components: components.get(id) });
    if (!variances) continue;
    const { result, bounds, sampling } = part;
    const widened = sampling && { ...sampling, variance: variances.widening * sampling.variance };
    const sampled = widened && result.interval ? { score: result.score!, bounds, sampling: widened } : null;
    // With few sources a run's variance is at least that of as many items out of infinitely many: the rest is in it.
    const few = scored.estimate.warnings.some(
      (warning) => warning.code === "few_source_models" && warning.scenario === id,
    );
    const beyond = (whole: KnownVariance): KnownVariance =>
      ({ ...whole, variance: Math.max(0, whole.variance - (widened?.variance ?? 0)) }); // prettier-ignore
    const [expected, tasks] = few ? variances.endless.map(beyond) : [variances.noise, variances.tasks];
    parts.set(id, { ...variances, expected: expected!, tasks: tasks!, sampled });
  }
  const scenarios = Object.fromEntries(
    Object.entries(estimate.scenarios).map(([id, { score, interval }]) => {
      const part = parts.get(id);
      return [id, part ? intervalsOver({ score, interval }, part, level) : NO_INTERVALS];
    }),
  );
  const overall = overallPart(bundle, estimate, parts);
  const over = overall ? intervalsOver(estimate, overall, level) : { ...NO_INTERVALS, run: estimate.interval };
  const trials = [...summaries].flatMap(([id, { count }]) => (counts(id) ? [count] : []));
  const perItem = trialsPerItem(trials);
  return {
    ...estimate,
    interval: over.run,
    warnings: [...resolved.warnings, ...estimate.warnings, ...otherTrials(perItem, components)],
    scenarios: Object.fromEntries(
      Object.entries(estimate.scenarios).map(([id, result]) => [
        id,
        { ...result, interval: lookUp(scenarios, id)!.run ?? result.interval },
      ]),
    ),
    trials: { count: trials.reduce((sum, count) => sum + count, 0), perItem, overall: over, scenarios },
  };
}

/** The variances that the intervals of a score rest on. */
interface TrialPart extends Pick<TrialVariances, "noise" | "tasks" | "answers" | "right" | "basis"> {
  /** Added to a run's variance, for the expected score over runs. */
  readonly expected: KnownVariance;
  /** The score by the draw of its anchors; null where errors were measured on held-out models, or there is no interval. */
  readonly sampled: SampledScore | null;
}

/** The overall score's part; null where it counts a scenario that has none, or whose score was predicted. */
function overallPart(
  { manifest }: Bundle,
  { form: formId, scenarios }: Estimate,
  parts: ReadonlyMap<string, TrialPart>,
): TrialPart | null {
  const all = scenarioShares(manifest).map(({ id, share }) => ({ share, id, part: parts.get(id) }));
  if (all.some(({ id, part }) => !part || lookUp(scenarios, id)!.interval === null)) return null;
  const weighed = all.map(({ share, part }) => ({ share, ...part! }));
  const form = manifest.forms.find(({ id }) => id === formId)!;
  const inflation = form.overall?.inflation ?? 1;
  const draws = weighed.flatMap(({ share, sampled }) => (sampled ? [{ share, ...sampled }] : []));
  const drawn = draws.length === weighed.length ? weightedScore(draws) : null;
  const sampled = drawn && {
    ...drawn,
    sampling: { ...drawn.sampling, variance: inflation ** 2 * drawn.sampling.variance },
  };
  const weighted = (field: "noise" | "expected" | "tasks"): KnownVariance =>
    satterthwaite(weighed.map(({ share, [field]: sampling }) => ({ share, sampling })));
  const total = (field: "answers" | "right"): number => weighed.reduce((sum, part) => sum + part[field], 0);
  return {
    sampled,
    noise: weighted("noise"),
    expected: weighted("expected"),
    tasks: weighted("tasks"),
    answers: total("answers"),
    right: total("right"),
    basis: weakestBasis(weighed.map(({ basis }) => basis)),
  };
}

/** A score's intervals from that of its run. */
function intervalsOver(
  { score, interval }: Pick<Estimate, "score" | "interval">,
  { sampled, answers, right, basis, ...variances }: TrialPart,
  level: number,
): TrialIntervals {
  const shared = { runDeviation: Math.sqrt(variances.noise.variance), basis };
  if (score === null || interval === null) return { ...NO_INTERVALS, ...shared };
  const method = interval.method === "exact" ? "design-based" : interval.method;
  const z = normalQuantile(0.5 + level / 2);
  // A variance that is known better narrows Student's t: a wider question has no narrower answer for all that.
  const over = (more: KnownVariance, inner: Interval): Interval => {
    const { low, high } = widened(more);
    return { low: Math.min(low, inner.low), high: Math.max(high, inner.high), level, method };
  };
  const widened = (more: KnownVariance): Pick<Interval, "low" | "high"> => {
    if (more.variance === 0) return run;
    if (sampled === null) {
      const half = (end: number): number => Math.hypot(end - score, z * Math.sqrt(more.variance));
      const [low, high] = [score - half(interval.low), score + half(interval.high)];
      return { low: Math.max(0, low), high: Math.min(1, high) };
    }
    const sum = satterthwaite([sampled.sampling, more].map((sampling) => ({ share: 1, sampling })));
    const sampling = { ...sampled.sampling, ...sum, answers, right };
    return designInterval({ score, bounds: { low: 0, high: 1 }, sampling }, level);
  };
  const isDrawn = sampled !== null && interval.method !== "exact";
  const run = isDrawn ? { ...designInterval(sampled, level), level, method } : interval;
  const expected = over(variances.expected, run);
  return { run, expected, tasks: over(variances.tasks, expected), ...shared };
}

/** Says that the sources were tried more often, or less, than this model. */
function otherTrials(perItem: number, components: ReadonlyMap<string, VarianceComponents>): EstimateWarning[] {
  const sources = trialsPerItem([...components.values()].map(({ trials }) => trials));
  if (components.size === 0 || sameTrials(perItem, sources)) return [];
  const message = `the source models were tried ${times(sources)} an item, this model ${times(perItem)}: its intervals take that into account, and errors measured on held-out models are not for it.`;
  return [{ code: "other_trials", message }];
}

/** @example times(3) // "3 times" */
function times(trials: number): string {
  const rounded = Math.round(10 * trials) / 10;
  return rounded === 1 ? "once" : `${rounded} times`;
}
