import type { Bounds } from "../../../sdk/core/estimators/answered-sample.ts";
import { wilsonInterval } from "../../../sdk/core/inference/score-interval.ts";
import { studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";

/** All items, by what a judge says of them. */
export interface JudgedItems {
  readonly count: number;
  /** The judge's mean over all of them. */
  readonly mean: number;
}

/** The mean label of all items, had all been labelled. */
export interface LabelledMean {
  /** In [0,1]. */
  readonly score: number;
  /** Answers, right or wrong and of endlessly many items, whose mean would be as sure; ∞ where every item has a label. */
  readonly effective: number;
  readonly degrees: number;
  /** λ, the label's change a unit of the judge's score; 0 where labels alone are as sure. */
  readonly slope: number;
}

/**
 * Squared residuals in steps of the labels: added to those seen, as few wrong judgements all on one side are more often too few
 * than too many, and fewest in all, as a judge that agrees with every label may be wrong on others (docs/decisions/intervals.md).
 */
const [MORE_UNITS, LEAST_UNITS] = [0.5, 2];

/**
 * The mean label of some items by the labels of a random part of them and a judge's scores of all: the regression estimator
 * θ̂ = ȳ + λ(F̄ − f̄), λ = Σ(f − f̄)(y − ȳ)/Σ(f − f̄)², which is unbiased to O(1/n) whatever the judge does, and of its kind
 * the one of least variance (prediction-powered inference with power tuning). Its variance is (1 − n/N)/n·ρ·y's, with ρ from
 * residuals e/√(1 − h), and the interval Wilson's at as many labels as are worth it. Where labels alone give a narrower one,
 * θ̂ = ȳ.
 * @param labels - y in [0,1], at least 3
 * @param judged - f, the judge's scores of the same items
 * @see Cochran (1977), Sampling Techniques, §7; Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv:2311.01453; MacKinnon & White
 * (1985), J. Econometrics 29, HC2
 */
export function labelledMean(
  labels: ArrayLike<number>,
  judged: ArrayLike<number>,
  all: JudgedItems,
  level: number,
): LabelledMean {
  const alone = classicalMean(labels, all.count);
  const n = labels.length;
  const { y, f, cross, square } = moments(labels, judged);
  const spread = variance(labels);
  if (n < 4 || !(square > 0) || spread === 0) return alone;
  const slope = cross / square;
  const step = smallestStep(labels);
  let residual = 0;
  for (let i = 0; i < n; i++) {
    const leverage = 1 / n + (judged[i]! - f) ** 2 / square;
    residual += (labels[i]! - y - slope * (judged[i]! - f)) ** 2 / Math.max(1 - leverage, 1 / n);
  }
  const distance = 1 + (n * (all.mean - f) ** 2) / square; // the line is known less well away from the labels' mean
  const open = (distance * Math.max(residual + MORE_UNITS * step ** 2, LEAST_UNITS * step ** 2)) / n;
  const score = Math.min(1, Math.max(0, y + slope * (all.mean - f)));
  const adjusted = { score, effective: (alone.effective * spread) / open, degrees: n - 2, slope };
  return width(adjusted, level) < width(alone, level) ? adjusted : alone;
}

/** The mean of the labels alone. */
export function classicalMean(labels: ArrayLike<number>, count: number): LabelledMean {
  const n = labels.length;
  const score = mean(labels);
  const [spread, most] = [variance(labels), score * (1 - score)];
  const share = spread === 0 ? 1 : spread / most; // of graded labels less than of right and wrong ones
  const open = Math.max(1 - n / count, 0);
  return { score, effective: n / (share * open), degrees: n - 1, slope: 0 };
}

/** The interval of a mean label, inside [0,1]. */
export function labelledInterval({ score, effective, degrees }: LabelledMean, level: number): Bounds {
  if (effective === Infinity) return { low: score, high: score };
  return wilsonInterval(score, effective, studentTQuantile(0.5 + level / 2, degrees));
}

/** Pearson's correlation in [−1,1] of labels and a judge's scores; null where either doesn't vary. */
export function labelCorrelation(labels: ArrayLike<number>, judged: ArrayLike<number>): number | null {
  const { cross, square, total } = moments(labels, judged);
  return square > 0 && total > 0 ? cross / Math.sqrt(square * total) : null;
}

/** Means of labels and of a judge's scores, and sums of products about them: Σ(f − f̄)(y − ȳ), Σ(f − f̄)², Σ(y − ȳ)². */
function moments(labels: ArrayLike<number>, judged: ArrayLike<number>) {
  const [y, f] = [mean(labels), mean(judged)];
  let [cross, square, total] = [0, 0, 0];
  for (let i = 0; i < labels.length; i++) {
    cross += (judged[i]! - f) * (labels[i]! - y);
    square += (judged[i]! - f) ** 2;
    total += (labels[i]! - y) ** 2;
  }
  return { y, f, cross, square, total };
}

function width(estimate: LabelledMean, level: number): number {
  const { low, high } = labelledInterval(estimate, level);
  return high - low;
}

/** NaN of none. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** s², 0 where all values are equal, whatever rounding makes of their mean. */
function variance(values: ArrayLike<number>): number {
  const centre = mean(values);
  let [sum, equal] = [0, true];
  for (let i = 0; i < values.length; i++) {
    sum += (values[i]! - centre) ** 2;
    equal &&= values[i] === values[0];
  }
  return equal ? 0 : sum / (values.length - 1);
}

/** The smallest difference of two labels that aren't equal: 1 of right and wrong, near 0 of finely graded ones. */
function smallestStep(labels: ArrayLike<number>): number {
  const sorted = Float64Array.from(labels).sort();
  let step = 1;
  for (let i = 1; i < sorted.length; i++)
    if (sorted[i]! > sorted[i - 1]!) step = Math.min(step, sorted[i]! - sorted[i - 1]!);
  return step;
}
