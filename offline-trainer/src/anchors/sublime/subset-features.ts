import { pearson } from "../../ranking/correlation.ts";
import { kendall, spearman } from "../../ranking/rank-correlation.ts";
import { meanScores, type ItemColumns } from "../essence/item-columns.ts";
import type { ItemProfile } from "./item-profile.ts";
import { rootMeanSquaredDistance } from "./random-features.ts";

/** Logarithms of ratios are kept within ±this. */
const MOST_LOG_RATIO = 3;

/** What subsets are described by. */
export interface SubsetDescription {
  readonly profile: ItemProfile;
  /** The anchor models' scores and full scores. */
  readonly anchors: ItemColumns;
  readonly full: Float64Array;
}

/**
 * Numbers that describe a subset, the same ones for each:
 * - of every column: mean z̄, |z̄|, and the logarithm of its standard deviation;
 * - dispersion: the logarithm of the distance of two of its items (root mean square) to that of all, the share of clusters
 *   it has items of, half the summed differences of cluster shares (total variation) and of the mean of kernel features
 *   from all items' (MMD, maximum mean discrepancy);
 * - of the anchor models: each one's score on it less the full score, mean, |mean| and root mean square of those; the
 *   logarithm of the ratio of the scores' standard deviations; Pearson's, Spearman's and Kendall's correlation with the
 *   full scores, 0 where one doesn't vary.
 * @see Gretton et al. (2012), JMLR 13, 723–773 (MMD)
 */
export function subsetFeatures({ profile, anchors, full }: SubsetDescription, subset: Uint32Array): Float64Array {
  const scores = meanScores(anchors, subset);
  const gaps = scores.map((score, m) => score - full[m]!);
  const gap = mean(gaps);
  return Float64Array.from([
    ...profile.columns.flatMap(({ values }) => {
      const own = Float64Array.from(subset, (i) => values[i]!);
      return [mean(own), Math.abs(mean(own)), logRatio(deviation(own), 1)];
    }),
    ...dispersion(profile, subset),
    ...gaps,
    gap,
    Math.abs(gap),
    Math.sqrt(mean(gaps.map((own) => own ** 2))),
    logRatio(deviation(scores), deviation(full)),
    pearson(scores, full) ?? 0,
    spearman(scores, full) ?? 0,
    kendall(scores, full) ?? 0,
  ]);
}

function dispersion(
  { points, distance, clusters, labels, weights, kernel }: ItemProfile,
  subset: Uint32Array,
): number[] {
  const { dims } = points;
  const values = new Float64Array(subset.length * dims);
  subset.forEach((i, j) => values.set(points.values.subarray(i * dims, (i + 1) * dims), j * dims));
  const shares = new Float64Array(clusters);
  labels.forEach((label, i) => (shares[label]! -= weights[i]!));
  const covered = new Set<number>();
  const { width } = kernel;
  const shift = kernel.mean.map((value) => -value);
  for (const i of subset) {
    covered.add(labels[i]!);
    shares[labels[i]!]! += 1 / subset.length;
    for (let f = 0; f < width; f++) shift[f]! += kernel.values[i * width + f]! / subset.length;
  }
  return [
    logRatio(rootMeanSquaredDistance({ count: subset.length, dims, values }), distance),
    covered.size / clusters,
    shares.reduce((sum, share) => sum + Math.abs(share), 0) / 2,
    Math.sqrt(shift.reduce((sum, value) => sum + value ** 2, 0)),
  ];
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: Float64Array): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}

/** ln(x/y) within ±3; 0 where both are 0. */
function logRatio(x: number, y: number): number {
  if (x === y) return 0;
  return Math.max(-MOST_LOG_RATIO, Math.min(MOST_LOG_RATIO, Math.log(x / y)));
}
