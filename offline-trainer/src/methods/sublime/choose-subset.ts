import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { principalAxes, spectralRidge } from "../../numeric/principal-axes.ts";
import { kendall, mean, pearson, spearman, ranks, variance } from "../../numeric/statistics.ts";
import { denseRows } from "../../numeric/sparse-rows.ts";
import { columnsOf, type ItemColumns, meanScores } from "../item-columns.ts";
import type { Points } from "../kmeans/index.ts";
import { itemProfile, type ItemProfile, pickAnchorModels, rootMeanSquaredDistance } from "./profile.ts";
import { inclusionProbabilities, pivotalSample } from "anchoreval/internal/core/numeric/sampling";

export interface Sampler {
  readonly name: string;
  /** @param k - from 1 to all items @returns items, ascending */
  readonly draw: (k: number, random: RandomSource) => Uint32Array;
}

/** Exponents of tilted draws: an item at the upper end is e^2τ times as likely as one at the lower. */
const TILTS = [1, 2, 4];

/**
 * The samplers of a profile. Chances are in proportion to item weights but for what a sampler changes:
 * - `random`;
 * - `stratified COLUMN`: spread evenly over the items in the order of a column;
 * - `high COLUMN`, `low COLUMN`: chances times e^{±τu}, u the item's place in the column's order from −1 to 1, τ 1, 2 or
 *   4 (`high difficulty` is hard-first, `low difficulty` easy-first);
 * - `clusters`: spread evenly over the clusters.
 */
export function samplers({ weights, columns, labels }: ItemProfile): Sampler[] {
  const shuffled = (random: RandomSource): number[] => random.fork("order").shuffle([...weights.keys()]);
  /** Spread over an order of the items, ties in random order. */
  const spread =
    (key: ArrayLike<number>) =>
    (k: number, random: RandomSource): Uint32Array =>
      sample(
        shuffled(random).sort((x, y) => key[x]! - key[y]!),
        weights,
        k,
        random,
      );
  const tilted =
    (places: Float64Array, sign: number) =>
    (k: number, random: RandomSource): Uint32Array => {
      const tilt = sign * TILTS[random.fork("tilt").below(TILTS.length)]!;
      const chances = weights.map((weight, i) => weight * Math.exp(tilt * places[i]!));
      return sample(shuffled(random), chances, k, random);
    };
  return [
    { name: "random", draw: (k, random) => sample(shuffled(random), weights, k, random) },
    ...columns.flatMap(({ name, values }): Sampler[] => {
      const places = orderPlaces(values);
      return [
        { name: `stratified ${name}`, draw: spread(values) },
        { name: `high ${name}`, draw: tilted(places, 1) },
        { name: `low ${name}`, draw: tilted(places, -1) },
      ];
    }),
    { name: "clusters", draw: spread(labels) },
  ];
}

/** @param order - of the items @param chances - by item, up to a factor */
function sample(order: readonly number[], chances: Float64Array, k: number, random: RandomSource): Uint32Array {
  const ordered = Float64Array.from(order, (item) => chances[item]!);
  const drawn = pivotalSample(inclusionProbabilities(ordered, k), random.fork("draw"));
  return Uint32Array.from(drawn, (place) => order[place]!).sort();
}

/** Places in ascending order, from −1 to 1; equals share their mean place. */
function orderPlaces(values: Float64Array): Float64Array {
  const { length } = values;
  return ranks(values).map((rank) => (length > 1 ? (2 * (rank - 1)) / (length - 1) - 1 : 0));
}

/** Candidate subsets of each size: a quarter drawn at random, the rest shared among the other samplers. */
export const CANDIDATES = 200;
const RANDOM_SHARE = 0.25;

/** Fewest models that are worth ranking. */
export const LEAST_RANKED = 3;
/** Rank correlations are kept within ±this before Fisher's transformation. */
const MOST_CORRELATION = 0.999;

export interface Board {
  readonly columns: ItemColumns;
  readonly weights: Float64Array;
  readonly full: Float64Array;
  readonly families: ArrayLike<number>;
  /** Items by their texts; null without texts. */
  readonly points: Points | null;
  readonly candidates: number;
}

/** A board with the data that subsets of any size are drawn by and described with. */
type PreparedBoard = ReturnType<typeof prepareBoard>;

/** All candidates of one size, and the one of the best predicted rank correlation. */
export type SubsetChoice = ReturnType<typeof chooseSubset>;

export function prepareBoard(board: Board, random: RandomSource) {
  const roles = pickAnchorModels(board.full);
  const anchors = columnsOf(board.columns, roles.anchors);
  const full = valuesOf(board.full, roles.anchors);
  const profile = itemProfile(board, anchors, full, random);
  return { ...board, roles, described: { profile, anchors, full }, samplers: samplers(profile) };
}

/**
 * SubLIME's choice of k items. Several samplers draw candidates; the judging models measure each candidate's rank correlation
 * with the full ranking; a regression on the candidates' features and the anchor models' scores predicts it; the candidate
 * with the highest prediction is chosen. SubLIME compares ridge regression with a neural network; ridge predicted better here
 * (docs/decisions/published-methods.md).
 * @see Saranathan et al. (2025), SubLIME, ACL
 */
export function chooseSubset(board: PreparedBoard, k: number, random: RandomSource) {
  const candidates = drawCandidates(board, k, random.fork("candidates"));
  const table = featureTable(candidates.map(({ items }) => subsetFeatures(board.described, items)));
  const full = valuesOf(board.full, board.roles.judges);
  /** The judging models' rank correlation (Spearman) of score on the subset and full score; 0 where one doesn't vary. */
  const measured = Float64Array.from(
    candidates,
    ({ items }) => spearman(valuesOf(meanScores(board.columns, items), board.roles.judges), full) ?? 0,
  );
  /** `measured` as ridge regression predicts it from the candidates' features. */
  const predicted = ridgeFitted(table, measured.map(fisher), random.fork("axes")).map(Math.tanh);
  /** The first candidate of the highest predicted correlation. */
  const chosen = predicted.indexOf(Math.max(...predicted));
  return { candidates, measured, predicted, chosen, subset: candidates[chosen]! };
}

function drawCandidates({ samplers: all, candidates: count }: PreparedBoard, k: number, random: RandomSource) {
  const [plain, ...others] = all as [Sampler, ...Sampler[]];
  const atRandom = Math.ceil(RANDOM_SHARE * count);
  return Array.from({ length: count }, (_, c) => {
    const { name, draw } = c < atRandom ? plain : others[(c - atRandom) % others.length]!;
    return { sampler: name, items: draw(k, random.fork(String(c))) };
  });
}

/** Fisher's z, of a correlation within ±.999. */
function fisher(correlation: number): number {
  return Math.atanh(Math.max(-MOST_CORRELATION, Math.min(MOST_CORRELATION, correlation)));
}

export function valuesOf(values: Float64Array, models: ArrayLike<number>): Float64Array {
  return Float64Array.from(models, (m) => values[m]!);
}

/** Logarithms of ratios are kept within ±this. */
const MOST_LOG_RATIO = 3;

/**
 * Numbers that describe a subset, the same ones for each:
 * - of every column: mean z̄, |z̄|, and the logarithm of its standard deviation;
 * - dispersion: the logarithm of the distance of two of its items (root mean square) to that of all, the share of clusters
 *   it has items of, half the summed differences of cluster shares (total variation) and of the mean of kernel features
 *   from all items' (MMD, maximum mean discrepancy);
 * - of the anchor models: each one's score on it less the full score, mean, |mean| and root mean square of those; the
 *   logarithm of the ratio of the scores' standard deviations; Pearson's, Spearman's and Kendall's correlation with the
 *   full scores, 0 where one doesn't vary.
 * @param described - with the anchor models' scores and full scores
 * @see Gretton et al. (2012), JMLR 13, 723–773 (MMD)
 */
export function subsetFeatures(
  { profile, anchors, full }: PreparedBoard["described"],
  subset: Uint32Array,
): Float64Array {
  const scores = meanScores(anchors, subset);
  const gaps = scores.map((score, m) => score - full[m]!);
  const gap = mean(gaps);
  return Float64Array.from([
    ...profile.columns.flatMap(({ values }) => {
      const chosen = Float64Array.from(subset, (i) => values[i]!);
      return [mean(chosen), Math.abs(mean(chosen)), logRatio(deviation(chosen), 1)];
    }),
    ...dispersion(profile, subset),
    ...gaps,
    gap,
    Math.abs(gap),
    Math.sqrt(mean(gaps.map((value) => value ** 2))),
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

function deviation(values: Float64Array): number {
  return Math.sqrt(variance(values));
}

/** ln(x/y) within ±3; 0 where both are 0. */
function logRatio(x: number, y: number): number {
  if (x === y) return 0;
  return Math.max(-MOST_LOG_RATIO, Math.min(MOST_LOG_RATIO, Math.log(x / y)));
}

/**
 * Fits targets, one a row, by {@link spectralRidge} and predicts the same rows. Rows are scaled to a length of about 1, so
 * that its penalties are relative to their mean square length.
 */
export function ridgeFitted(
  { count, width, values }: FeatureTable,
  targets: Float64Array,
  random: RandomSource,
): Float64Array {
  const scale = 1 / Math.sqrt(width);
  const scaled = values.map((value) => value * scale);
  const axes = principalAxes(denseRows(scaled, count, width), width, random);
  const { mean: level, coefficients } = spectralRidge(axes, targets);
  const { left, singular, rank } = axes;
  return targets.map((_, i) => {
    let score = level;
    for (let k = 0; k < rank; k++) score += coefficients[k]! * singular[k]! * left[i * rank + k]!;
    return score;
  });
}

export type FeatureTable = ReturnType<typeof featureTable>;

/**
 * Rows of features, standardised: mean 0, and a standard deviation of 1, or 0 where a feature is constant.
 * @param rows - one at least, all of one length
 * @returns count×width values, row-major
 */
export function featureTable(rows: readonly Float64Array[]) {
  const count = rows.length;
  const width = rows[0]!.length;
  const values = new Float64Array(count * width);
  for (let f = 0; f < width; f++) {
    const column = Float64Array.from(rows, (row) => row[f]!);
    const [centre, spread] = [mean(column), deviation(column)];
    if (spread > 1e-9 * Math.abs(centre))
      column.forEach((value, i) => (values[i * width + f] = (value - centre) / spread));
  }
  return { count, width, values };
}
