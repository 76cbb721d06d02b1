import { checkNames, invalidOption } from "../../../sdk/core/errors.ts";
import { confidenceLevel } from "../../../sdk/core/inference/score-interval.ts";
import { normalQuantile, studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { createRandom } from "../../../sdk/core/numeric/random.ts";
import type { Integer, Interval } from "../../../sdk/estimate/types.ts";
import type { TrialResponses } from "../../../sdk/tables/item-trials.ts";
import { counted } from "../../../sdk/words/figures.ts";
import {
  classicalMean,
  labelCorrelation,
  type LabelledMean,
  labelledInterval,
  labelledMean,
  mean,
} from "../core/labelled-mean.ts";
import { readJudged } from "./read-judged.ts";

/** The mean of people's labels over all items that a judge scored, had people labelled all of them. */
export interface JudgedEstimate {
  /** In [0,1]; null with fewer than two labels, as all that follows from them. */
  readonly score: number | null;
  readonly interval: Interval | null;
  /** Items that the judge scored. */
  readonly items: Integer;
  /** Of them those with a label. */
  readonly labelled: Integer;
  /** The mean of the labels alone, what they would say without the judge; null without labels. */
  readonly labels: LabelsAlone | null;
  /** As many labels alone would be as sure as these are with the judge; null without labels, or where all have one. */
  readonly worth: number | null;
  /** The judge, beside the labels. */
  readonly judge: JudgeFacts;
  /** The items to label for `halfWidth`, drawn at random; absent where none was asked for. */
  readonly next?: NextLabels;
  readonly warnings: readonly JudgeWarning[];
}

/** The mean of some labels by themselves. */
interface LabelsAlone {
  readonly score: number;
  readonly interval: Interval;
}

/** A judge by the labels. */
interface JudgeFacts {
  /** Its mean over all items: the score that it would have claimed, where it is on the labels' scale. */
  readonly score: number;
  /** By how much that is above the people's score, with its interval; null without labels, or on another scale than [0,1]. */
  readonly bias: JudgeBias | null;
  /** With the labels, in [−1,1]; null without labels, or where either doesn't vary. */
  readonly correlation: number | null;
  /** Whether the judge's scores narrow the interval; else the labels alone are what the score is. */
  readonly used: boolean;
}

/** A judge's mean over all items less people's. */
interface JudgeBias {
  readonly mean: number;
  readonly interval: Interval;
}

/** Labels that a half-width takes. */
interface NextLabels {
  /** Labels in all that the half-width is expected to take. */
  readonly labels: Integer;
  /** Item ids, in the order to label them: every first part is spread over the judge's scores. */
  readonly items: readonly string[];
}

/** A remark on labels. */
interface JudgeWarning {
  readonly code: "labels_unlike" | "few_labels";
  readonly message: string;
}

/** Labels from which on a judge is used at all: fewer tell neither its slope nor its residuals. Chosen, not measured. */
const LEAST_LABELS = 10;

/** Chance of a remark on labels that were drawn at random, two-sided. Chosen, not measured: one sample in a thousand. */
const UNLIKE = 0.001;

/**
 * The score that people would give a model on all items, from a judge's scores of all and people's labels of some: unbiased
 * whatever the judge does, as the labels say what its scores are worth (prediction-powered inference with power tuning, with
 * intervals for few labels). The labelled items must have been drawn at random, as `next` draws them.
 * @param judge - the judge's score of every item, any finite numbers: right and wrong, stars, probabilities
 * @param labels - people's labels of some of these items, in [0,1]; null = none. Of several of an item, and of several scores
 * of the judge, the mean counts
 * @param options - `level` in (0,1), 0.95 by default; `halfWidth` that is wanted, in (0,½): `next` then has the items to label for
 * it, drawn by `seed`, 1 by default
 * @throws AnchorEvalError `invalid_answers` for items that the judge didn't score, for scores that aren't finite, and labels
 * outside [0,1]; `invalid_option`
 * @see Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv:2311.01453
 * @example
 * const { score, interval, judge } = estimateFromJudge({ a: 1, b: 0, … }, { a: 1, … }, { halfWidth: 0.03 });
 */
export function estimateFromJudge(
  judge: TrialResponses,
  labels: TrialResponses,
  options: { readonly level?: number; readonly halfWidth?: number; readonly seed?: number } = {},
): JudgedEstimate {
  checkNames(options, { level: "number", halfWidth: "number", seed: "number" });
  const level = confidenceLevel(options.level);
  const { halfWidth, seed = 1 } = options;
  if (halfWidth !== undefined && !(halfWidth > 0 && halfWidth < 0.5))
    throw invalidOption(`\`halfWidth\` must be above 0 and below 0.5, got ${halfWidth}`);
  const { scores, labelOf } = readJudged(judge, labels);
  const sample = sampleOf(scores, labelOf);
  const estimate = estimateOf(sample, level);
  return {
    score: estimate && estimate.score,
    interval: estimate && intervalOf(estimate, level),
    items: scores.size,
    labelled: labelOf.size,
    labels: sample.alone && { score: sample.alone.score, interval: intervalOf(sample.alone, level) },
    worth: estimate && worthOf(sample, estimate),
    judge: judgeFacts(sample, estimate, level),
    ...(halfWidth !== undefined && { next: nextLabels(sample, estimate, { halfWidth, level, seed }) }),
    warnings: warningsOn(sample),
  };
}

/** A judge's scores of all items beside the labels of some. */
interface LabelledSample {
  /** The judge's, by item. */
  readonly scores: ReadonlyMap<string, number>;
  readonly labelOf: ReadonlyMap<string, number>;
  readonly labels: Float64Array;
  /** The judge's scores of the labelled items. */
  readonly judged: Float64Array;
  /** Of the judge's scores of all. */
  readonly mean: number;
  readonly variance: number;
  /** The mean of the labels alone; null of fewer than two. */
  readonly alone: LabelledMean | null;
}

function sampleOf(scores: ReadonlyMap<string, number>, labelOf: ReadonlyMap<string, number>): LabelledSample {
  const all = Float64Array.from(scores.values());
  const labels = Float64Array.from(labelOf.values());
  const centre = mean(all);
  return {
    ...{ scores, labelOf, labels, mean: centre },
    judged: Float64Array.from(labelOf.keys(), (id) => scores.get(id)!),
    variance: mean(all.map((value) => (value - centre) ** 2)),
    alone: labels.length < 2 ? null : classicalMean(labels, all.length),
  };
}

function estimateOf(
  { scores, labels, judged, mean: judge, alone }: LabelledSample,
  level: number,
): LabelledMean | null {
  if (labels.length < LEAST_LABELS) return alone;
  return labelledMean(labels, judged, { count: scores.size, mean: judge }, level);
}

/** The m labels whose mean alone is as sure: m/(1 − m/N) is as many times n/(1 − n/N) as the effective sizes differ. */
function worthOf({ labels, scores, alone }: LabelledSample, { effective }: LabelledMean): number | null {
  const [n, all] = [labels.length, scores.size];
  if (effective === Infinity) return null;
  const odds = (effective / alone!.effective) * (n / (1 - n / all));
  return odds / (1 + odds / all);
}

function intervalOf(estimate: LabelledMean, level: number): Interval {
  const exact = estimate.effective === Infinity;
  return { ...labelledInterval(estimate, level), level, method: exact ? "exact" : "design-based" };
}

function judgeFacts(sample: LabelledSample, estimate: LabelledMean | null, level: number): JudgedEstimate["judge"] {
  const { mean: judge, scores } = sample;
  const onScale = [...scores.values()].every(isShare);
  const interval = estimate && intervalOf(estimate, level);
  return {
    score: judge,
    bias:
      estimate && interval && onScale
        ? {
            mean: judge - estimate.score,
            interval: { ...interval, low: judge - interval.high, high: judge - interval.low },
          }
        : null,
    correlation: labelCorrelation(sample.labels, sample.judged),
    used: estimate !== null && estimate.slope !== 0,
  };
}

/**
 * The labels that a half-width takes, n = t²V/(w² + t²V/N) with V what a label leaves open, and as many more items as are
 * lacking: at random, one of each stretch of the items without a label in the order of the judge's scores.
 */
function nextLabels(
  { scores, labelOf, labels }: LabelledSample,
  estimate: LabelledMean | null,
  { halfWidth, level, seed }: { readonly halfWidth: number; readonly level: number; readonly seed: number },
): NonNullable<JudgedEstimate["next"]> {
  const [all, n] = [scores.size, labels.length];
  const p = estimate === null ? 0.5 : Math.min(1 - halfWidth, Math.max(halfWidth, estimate.score));
  // A label leaves open n/(1 − n/N)/effective times what right and wrong ones do.
  const share = estimate === null || estimate.effective === Infinity ? 1 : n / (estimate.effective * (1 - n / all));
  const t = estimate === null ? normalQuantile(0.5 + level / 2) : studentTQuantile(0.5 + level / 2, estimate.degrees);
  const open = t ** 2 * p * (1 - p) * share;
  const wanted = Math.min(all, Math.max(LEAST_LABELS, Math.ceil(open / (halfWidth ** 2 + open / all))));
  const random = createRandom(`labels-${seed}-${n}`);
  const order = [...scores].filter(([id]) => !labelOf.has(id)).sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  const count = Math.min(order.length, Math.max(0, wanted - n));
  const start = random.next();
  const drawn = Array.from({ length: count }, (_, k) => order[Math.floor(((k + start) * order.length) / count)]![0]);
  return { labels: wanted, items: random.shuffle(drawn) };
}

/** Remarks on labels that are few, or whose items aren't like all by the judge. */
function warningsOn({ scores, labels, judged, mean: judge, variance }: LabelledSample): JudgedEstimate["warnings"] {
  const [n, all] = [labels.length, scores.size];
  const warnings: { code: "labels_unlike" | "few_labels"; message: string }[] = [];
  if (n > 0 && n < LEAST_LABELS)
    warnings.push({
      code: "few_labels",
      message: `${counted(n, "label")}: the judge counts from ${LEAST_LABELS} on`,
    });
  const error = Math.sqrt((variance / n) * Math.max(0, (all - n) / (all - 1)));
  const labelled = mean(judged);
  const distance = Math.abs(labelled - judge);
  if (error > 0 && distance > -normalQuantile(UNLIKE / 2) * error)
    warnings.push({
      code: "labels_unlike",
      message: `the judge's mean is ${labelled.toPrecision(3)} on the labelled items and ${judge.toPrecision(3)} on all, which random ones have less than once in ${Math.round(1 / UNLIKE)} times: an interval is for items that were drawn at random`,
    });
  return warnings;
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1;
}
