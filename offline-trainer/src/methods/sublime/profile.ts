import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { ItemColumns } from "../item-columns.ts";
import { clusterPoints, type Points } from "../kmeans/index.ts";

/** Clusters of items at most; one for ten items. */
const CLUSTERS = 20;
/** Random features that distances between distributions are computed on. */
const RANDOM_FEATURES = 64;

interface FeatureColumn {
  readonly name: string;
  /** In the order of the items. */
  readonly values: Float64Array;
}

/** Item data that subsets are drawn by and described with, from the items' texts and the anchor models' answers. */
export interface ItemProfile {
  readonly count: number;
  readonly weights: Float64Array;
  /** Standardised: weighted mean 0, standard deviation 1. */
  readonly columns: readonly FeatureColumn[];
  readonly points: Points;
  /** Of two items. */
  readonly distance: number;
  readonly clusters: number;
  readonly labels: Int32Array;
  /** Random features of the points, count×width, and their weighted mean. */
  readonly kernel: { readonly width: number; readonly values: Float64Array; readonly mean: Float64Array };
}

/**
 * Difficulty proxies from the anchor models' answers alone, and a space: the given points, else those answers themselves.
 * Columns that are the same for all items are left out.
 * @param anchors - the anchor models' scores @param full - their full scores
 */
export function itemProfile(
  { weights, points: texts }: { readonly weights: Float64Array; readonly points: Points | null },
  anchors: ItemColumns,
  full: Float64Array,
  random: RandomSource,
): ItemProfile {
  const count = weights.length;
  // Without points the items are those of a space with an axis a model.
  const points = texts ?? { count, dims: anchors.models, values: anchors.scores };
  const columns = difficultyColumns(anchors, full).flatMap((column) => {
    const values = standardised(column.values, weights);
    return values === null ? [] : [{ name: column.name, values }];
  });
  const clusters = Math.max(1, Math.min(CLUSTERS, Math.floor(count / 10)));
  const { labels } = clusterPoints(points, weights, clusters, random.fork("clusters"));
  const values = randomFeatures(points, RANDOM_FEATURES, random.fork("kernel"));
  const mean = new Float64Array(RANDOM_FEATURES);
  values.forEach((value, at) => (mean[at % RANDOM_FEATURES]! += weights[Math.floor(at / RANDOM_FEATURES)]! * value));
  return {
    count,
    weights,
    columns,
    points,
    distance: rootMeanSquaredDistance(points),
    clusters,
    labels,
    kernel: { width: RANDOM_FEATURES, values, mean },
  };
}

/**
 * Of every item, from the anchor models' scores y: difficulty 1 − ȳ, disagreement Σ(y−ȳ)²/A, and discrimination, the
 * correlation of y with the models' full scores, 0 where either is constant.
 */
export function difficultyColumns({ models, items, scores }: ItemColumns, full: Float64Array): FeatureColumn[] {
  const level = full.reduce((sum, value) => sum + value, 0) / models;
  const spread = full.reduce((sum, value) => sum + (value - level) ** 2, 0);
  const described = Array.from({ length: items }, (_, i) => {
    const column = scores.subarray(i * models, (i + 1) * models);
    const mean = column.reduce((sum, score) => sum + score, 0) / models;
    let [squares, product] = [0, 0];
    column.forEach((score, m) => {
      squares += (score - mean) ** 2;
      product += (score - mean) * (full[m]! - level);
    });
    return {
      difficulty: 1 - mean,
      disagreement: squares / models,
      discrimination: squares > 0 && spread > 0 ? product / Math.sqrt(squares * spread) : 0,
    };
  });
  return (["difficulty", "disagreement", "discrimination"] as const).map((name) => ({
    name,
    values: Float64Array.from(described, (item) => item[name]),
  }));
}

/** Weighted mean 0 and standard deviation 1; null where there is nothing to tell. */
function standardised(values: Float64Array, weights: Float64Array): Float64Array | null {
  let [mass, sum, squares, largest] = [0, 0, 0, 0];
  values.forEach((value, i) => {
    mass += weights[i]!;
    sum += weights[i]! * value;
    largest = Math.max(largest, Math.abs(value));
  });
  const mean = sum / mass;
  values.forEach((value, i) => (squares += weights[i]! * (value - mean) ** 2));
  const deviation = Math.sqrt(squares / mass);
  return deviation > 1e-9 * largest ? values.map((value) => (value - mean) / deviation) : null;
}

/**
 * Random Fourier features of the Gaussian kernel exp(−‖x−y‖²/2σ²): √(2/D)·cos(ωx + u), ω ~ N(0, σ⁻²), u uniform on
 * [0, 2π), with inner products near the kernel. σ is the root mean squared distance of two points.
 * @returns count×width, row-major; all alike where all points are
 * @see Rahimi & Recht (2007), NIPS 20
 */
export function randomFeatures({ count, dims, values }: Points, width: number, random: RandomSource): Float64Array {
  const scale = 1 / (rootMeanSquaredDistance({ count, dims, values }) || 1);
  const frequencies = Float64Array.from({ length: width * dims }, () => scale * random.normal());
  const phases = Float64Array.from({ length: width }, () => 2 * Math.PI * random.next());
  const out = new Float64Array(count * width);
  const height = Math.sqrt(2 / width);
  for (let i = 0; i < count; i++)
    for (let f = 0; f < width; f++) {
      let phase = phases[f]!;
      for (let d = 0; d < dims; d++) phase += frequencies[f * dims + d]! * values[i * dims + d]!;
      out[i * width + f] = height * Math.cos(phase);
    }
  return out;
}

/** √ of the mean of ‖x−y‖² over all pairs of different points: √(2n/(n−1)·(mean‖x‖² − ‖mean x‖²)); 0 of a single one. */
export function rootMeanSquaredDistance({ count, dims, values }: Points): number {
  if (count < 2) return 0;
  const mean = new Float64Array(dims);
  for (let at = 0; at < values.length; at++) mean[at % dims]! += values[at]! / count;
  let squares = 0;
  for (let at = 0; at < values.length; at++) squares += (values[at]! - mean[at % dims]!) ** 2;
  return Math.sqrt((2 * squares) / (count - 1));
}

/** Anchor models, a few of the 5 to 20 that Saranathan et al. (2025) take; a quarter of the models where that is less. */
const ANCHOR_MODELS = 8;
/** Fewest of either kind. */
const LEAST_ANCHOR_MODELS = 2;
const LEAST_JUDGES = 4;

/**
 * Models whose answers describe a subset, and models whose ranking it is judged by: positions, ascending. The first are
 * spread over the range of scores: at the middles of as many equal parts of their ranking. All others judge; all do where
 * fewer than four are left.
 */
export function pickAnchorModels(full: Float64Array) {
  const models = Array.from(full, (_, m) => m);
  const anchors = spread(full);
  const taken = new Set(anchors);
  const judges = models.filter((m) => !taken.has(m));
  return { anchors, judges: judges.length >= LEAST_JUDGES ? judges : models };
}

function spread(full: Float64Array): number[] {
  const ranked = Array.from(full, (_, m) => m).sort((x, y) => full[x]! - full[y]! || x - y);
  const wanted = Math.min(ANCHOR_MODELS, Math.max(LEAST_ANCHOR_MODELS, Math.floor(full.length / 4)));
  const count = Math.min(wanted, full.length);
  return Array.from({ length: count }, (_, k) => ranked[Math.floor(((k + 0.5) * full.length) / count)]!).sort(
    (x, y) => x - y,
  );
}
