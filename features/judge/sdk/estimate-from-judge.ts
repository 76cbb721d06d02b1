import { AnchorEvalError, checkNames, invalidOption } from "../../../sdk/core/errors.ts";
import { confidenceLevel } from "../../../sdk/core/inference/score-interval.ts";
import { normalQuantile, studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { createRandom } from "../../../sdk/core/numeric/random.ts";
import type { Interval } from "../../../sdk/estimate/types.ts";
import { firstFew } from "../../../sdk/tables/data-issues.ts";
import { counted } from "../../../sdk/words/figures.ts";
import { classicalMean, type LabelledMean, labelledInterval, labelledMean } from "../core/labelled-mean.ts";
import type { JudgedEstimate } from "./types.ts";

/** Labels from which on a judge is used at all: fewer tell neither its slope nor its residuals. Chosen, not measured. */
const LEAST_LABELS = 10;

/** Chance of a remark on labels that were drawn at random, two-sided. Chosen, not measured: one sample in a thousand. */
const UNLIKE = 0.001;

/**
 * The score that people would give a model on all items, from a judge's scores of all and people's labels of some: unbiased
 * whatever the judge does, as the labels say what its scores are worth (prediction-powered inference with power tuning, with
 * intervals for few labels). The labelled items must have been drawn at random, as `next` draws them.
 * @param judge - the judge's score of every item, any finite numbers: right and wrong, stars, probabilities
 * @param labels - people's labels of some of these items, in [0,1]
 * @param options - `level` in (0,1), 0.95 by default; `halfWidth` that is wanted, in (0,½): `next` then has the items to label for
 * it, drawn by `seed`, 1 by default
 * @throws AnchorEvalError `invalid_answers` for labels of items that the judge didn't score, for scores that aren't finite, and
 * labels outside [0,1]; `invalid_option`
 * @see Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv:2311.01453
 * @example
 * const { score, interval, judge } = estimateFromJudge({ a: 1, b: 0, … }, { a: 1, … }, { halfWidth: 0.03 });
 */
export function estimateFromJudge(
  judge: Readonly<Record<string, number>> | ReadonlyMap<string, number>,
  labels: Readonly<Record<string, number>> | ReadonlyMap<string, number>,
  options: { readonly level?: number; readonly halfWidth?: number; readonly seed?: number } = {},
): JudgedEstimate {
  checkNames(options, { level: "number", halfWidth: "number", seed: "number" });
  const level = confidenceLevel(options.level);
  const { halfWidth, seed = 1 } = options;
  if (halfWidth !== undefined && !(halfWidth > 0 && halfWidth < 0.5))
    throw invalidOption(`\`halfWidth\` must be above 0 and below 0.5, got ${halfWidth}`);
  const [scores, labelOf] = [entriesOf(judge, "judge", isFinite), entriesOf(labels, "label", isShare)];
  if (scores.size === 0) throw new AnchorEvalError("invalid_answers", "the judge has scored no item");
  const foreign = [...labelOf.keys()].filter((id) => !scores.has(id));
  if (foreign.length > 0)
    throw new AnchorEvalError(
      "invalid_answers",
      `${counted(foreign.length, "label")} of items without a score of the judge: ${firstFew(foreign)}; the judge scores every item`,
      { issues: foreign.map((id) => ({ path: [id], code: "unknown_item", message: "the judge has no score of it" })) },
    );
  const sample = sampleOf(scores, labelOf);
  const estimate = estimateOf(sample, level);
  return {
    score: estimate && estimate.score,
    interval: estimate && intervalOf(estimate, level),
    items: scores.size,
    labelled: labelOf.size,
    labels: estimate && labelsAlone(sample, level),
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
}

function sampleOf(scores: ReadonlyMap<string, number>, labelOf: ReadonlyMap<string, number>): LabelledSample {
  const all = [...scores.values()];
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  return {
    ...{ scores, labelOf, mean },
    labels: Float64Array.from(labelOf.values()),
    judged: Float64Array.from(labelOf.keys(), (id) => scores.get(id)!),
    variance: all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length,
  };
}

function estimateOf({ scores, labels, judged, mean }: LabelledSample, level: number): LabelledMean | null {
  if (labels.length < 2) return null;
  if (labels.length < LEAST_LABELS) return classicalMean(labels, scores.size);
  return labelledMean(labels, judged, { count: scores.size, mean }, level);
}

function labelsAlone({ labels, scores }: LabelledSample, level: number): JudgedEstimate["labels"] {
  const alone = classicalMean(labels, scores.size);
  return { score: alone.score, interval: intervalOf(alone, level) };
}

/** The m labels whose mean alone is as sure: m/(1 − m/N) is as many times n/(1 − n/N) as the effective sizes differ. */
function worthOf({ labels, scores }: LabelledSample, { effective }: LabelledMean): number | null {
  const [n, all] = [labels.length, scores.size];
  if (effective === Infinity) return null;
  const odds = (effective / classicalMean(labels, all).effective) * (n / (1 - n / all));
  return odds / (1 + odds / all);
}

function intervalOf(estimate: LabelledMean, level: number): Interval {
  const exact = estimate.effective === Infinity;
  return { ...labelledInterval(estimate, level), level, method: exact ? "exact" : "design-based" };
}

function judgeFacts(sample: LabelledSample, estimate: LabelledMean | null, level: number): JudgedEstimate["judge"] {
  const { mean, scores } = sample;
  const onScale = [...scores.values()].every(isShare);
  const interval = estimate && intervalOf(estimate, level);
  return {
    score: mean,
    bias:
      estimate && interval && onScale
        ? {
            mean: mean - estimate.score,
            interval: { ...interval, low: mean - interval.high, high: mean - interval.low },
          }
        : null,
    correlation: correlation(sample.labels, sample.judged),
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
  for (let k = drawn.length - 1; k > 0; k--) {
    const other = Math.floor(random.next() * (k + 1));
    [drawn[k], drawn[other]] = [drawn[other]!, drawn[k]!];
  }
  return { labels: wanted, items: drawn };
}

/** Remarks on labels that are few, or whose items aren't like all by the judge. */
function warningsOn({ scores, labels, judged, mean, variance }: LabelledSample): JudgedEstimate["warnings"] {
  const [n, all] = [labels.length, scores.size];
  const warnings: { code: "labels_unlike" | "few_labels"; message: string }[] = [];
  if (n > 0 && n < LEAST_LABELS)
    warnings.push({
      code: "few_labels",
      message: `${counted(n, "label")}: the judge counts from ${LEAST_LABELS} on`,
    });
  const error = Math.sqrt((variance / n) * Math.max(0, (all - n) / (all - 1)));
  const labelled = judged.reduce((sum, value) => sum + value, 0) / n;
  const distance = Math.abs(labelled - mean);
  if (error > 0 && distance > -normalQuantile(UNLIKE / 2) * error)
    warnings.push({
      code: "labels_unlike",
      message: `the judge's mean is ${labelled.toPrecision(3)} on the labelled items and ${mean.toPrecision(3)} on all, which random ones have less than once in ${Math.round(1 / UNLIKE)} times: an interval is for items that were drawn at random`,
    });
  return warnings;
}

function correlation(a: Float64Array, b: Float64Array): number | null {
  const [x, y] = [
    a.reduce((sum, value) => sum + value, 0) / a.length,
    b.reduce((sum, value) => sum + value, 0) / b.length,
  ];
  let [cross, left, right] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    cross += (a[i]! - x) * (b[i]! - y);
    left += (a[i]! - x) ** 2;
    right += (b[i]! - y) ** 2;
  }
  return left > 0 && right > 0 ? cross / Math.sqrt(left * right) : null;
}

/** Scores by item id. */
type ItemScores = Parameters<typeof estimateFromJudge>[0];

function isMap(values: ItemScores): values is ReadonlyMap<string, number> {
  return values instanceof Map;
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1;
}

/** @throws AnchorEvalError `invalid_answers` naming every item whose value is none */
function entriesOf(values: ItemScores, noun: string, isOne: (value: number) => boolean): ReadonlyMap<string, number> {
  const all = new Map(isMap(values) ? values : Object.entries(values));
  const wrong = [...all].filter(([, value]) => typeof value !== "number" || !isOne(value));
  if (wrong.length === 0) return all;
  const rule = noun === "judge" ? "a finite number" : "a number in [0,1]";
  throw new AnchorEvalError(
    "invalid_answers",
    `${counted(wrong.length, noun === "judge" ? "score of the judge" : noun)} isn't ${rule}: ${firstFew(wrong.map(([id, value]) => `${id} ${String(value)}`))}; leave out what isn't known`,
    { issues: wrong.map(([id]) => ({ path: [id], code: "out_of_range", message: `must be ${rule}` })) },
  );
}
