import type { RandomSource } from "anchoreval/core";
import type { ItemColumns } from "../essence/item-columns.ts";
import { clusterPoints, type Points } from "../../methods/kmeans/clusters.ts";
import type { FeatureColumn, ItemFeatures, ItemGroups } from "./item-features.ts";
import { randomFeatures, rootMeanSquaredDistance } from "./random-features.ts";

/** Clusters of items at most; one for ten items. */
const CLUSTERS = 20;
/** Random features that distances between distributions are computed on. */
const RANDOM_FEATURES = 64;

/** What subsets are drawn by and described with: of items, from what is known of them and the anchor models' answers. */
export interface ItemProfile {
  readonly count: number;
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
  /** Standardised: weighted mean 0, standard deviation 1; 0 where nothing is known. */
  readonly columns: readonly FeatureColumn[];
  readonly points: Points;
  /** Of two items. */
  readonly distance: number;
  readonly clusters: number;
  /** Cluster of every item. */
  readonly labels: Int32Array;
  /** Subscenarios, where there are several; null else. */
  readonly subscenarios: ItemGroups | null;
  /** Whose proportions every subset keeps. */
  readonly strata: ItemGroups | null;
  /** Random features of the points, count×width, and their weighted mean. */
  readonly kernel: { readonly width: number; readonly values: Float64Array; readonly mean: Float64Array };
}

export interface ItemProfileInput {
  readonly weights: Float64Array;
  /** The anchor models' scores. */
  readonly anchors: ItemColumns;
  /** Their full scores. */
  readonly full: Float64Array;
  readonly features?: ItemFeatures;
  readonly random: RandomSource;
}

/**
 * Difficulty proxies from the anchor models' answers alone, the given columns, and a space: the given points, else those
 * answers themselves. Columns that are the same for all items, or known of fewer than half, are left out.
 */
export function itemProfile({ weights, anchors, full, features, random }: ItemProfileInput): ItemProfile {
  const count = weights.length;
  const points = features?.points ?? answerPoints(anchors);
  const columns = [...difficultyColumns(anchors, full), ...(features?.columns ?? [])].flatMap((column) => {
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
    subscenarios: several(features?.subscenarios ?? null),
    strata: features?.strata ?? null,
    kernel: { width: RANDOM_FEATURES, values, mean },
  };
}

function several(groups: ItemGroups | null): ItemGroups | null {
  return groups?.labels.some((label) => label !== groups.labels[0]) ? groups : null;
}

/**
 * Of every item, from the anchor models' scores y: difficulty 1 − ȳ, disagreement Σ(y−ȳ)²/A, and discrimination, the
 * correlation of y with the models' full scores, 0 where either is constant.
 */
export function difficultyColumns({ models, items, scores }: ItemColumns, full: Float64Array): FeatureColumn[] {
  const level = full.reduce((sum, value) => sum + value, 0) / models;
  const spread = full.reduce((sum, value) => sum + (value - level) ** 2, 0);
  const [difficulty, disagreement, discrimination] = [0, 1, 2].map(() => new Float64Array(items)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let i = 0; i < items; i++) {
    const own = scores.subarray(i * models, (i + 1) * models);
    const mean = own.reduce((sum, score) => sum + score, 0) / models;
    let [squares, product] = [0, 0];
    own.forEach((score, m) => {
      squares += (score - mean) ** 2;
      product += (score - mean) * (full[m]! - level);
    });
    difficulty[i] = 1 - mean;
    disagreement[i] = squares / models;
    discrimination[i] = squares > 0 && spread > 0 ? product / Math.sqrt(squares * spread) : 0;
  }
  return [
    { name: "difficulty", values: difficulty },
    { name: "disagreement", values: disagreement },
    { name: "discrimination", values: discrimination },
  ];
}

/** Weighted mean 0 and standard deviation 1 over the known values, 0 for others; null where there is nothing to tell. */
function standardised(values: Float64Array, weights: Float64Array): Float64Array | null {
  const known = Array.from(values.keys()).filter((i) => Number.isFinite(values[i]!));
  if (2 * known.length < values.length) return null;
  const mass = known.reduce((sum, i) => sum + weights[i]!, 0);
  const mean = known.reduce((sum, i) => sum + weights[i]! * values[i]!, 0) / mass;
  const variance = known.reduce((sum, i) => sum + weights[i]! * (values[i]! - mean) ** 2, 0) / mass;
  const largest = known.reduce((most, i) => Math.max(most, Math.abs(values[i]!)), 0);
  if (!(Math.sqrt(variance) > 1e-9 * largest)) return null;
  return values.map((value) => (Number.isFinite(value) ? (value - mean) / Math.sqrt(variance) : 0));
}

/** Items as points, an axis a model. */
function answerPoints({ models, items, scores }: ItemColumns): Points {
  return { count: items, dims: models, values: scores };
}
