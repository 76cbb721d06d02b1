import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { centredCurves, curveComponents } from "../numeric/curve-components.ts";

/**
 * How far beyond the sources' range samples are balanced: abilities count at μ + 2(θ − μ), μ their mean, so that models
 * stronger than any seen are balanced for too.
 */
const ABILITY_SCALE = 2;

/** Abilities looked at, evenly by position among the sources. */
const MOST_ABILITIES = 24;

/** Share of the curves' variance that counts as noise: curves have few shapes, and a proposal costs their square. */
const LEFT_OUT = 0.01;

/** Added to every item's noise: no item is known without asking. */
const LEAST_NOISE = 1e-4;

/**
 * Items' answers as those of a random model: y_i = P̄_i + z_i·f + e_i with f ~ N(0, I) and independent e_i of variance
 * d_i.
 */
export interface CurveFeatures {
  readonly count: number;
  /** Loadings an item. */
  readonly width: number;
  /** z, count×width, item-major: z_i·z_j is the covariance of two items' curves over the abilities. */
  readonly loadings: Float64Array;
  /** d > 0, mean P(1−P) over the abilities and what the loadings leave of the curve's variance. */
  readonly noise: Float64Array;
}

/**
 * The leading principal components of the items' response curves at the sources' abilities, their range widened.
 * @param abilities - the sources', M×D row-major
 */
export function curveFeatures(bank: ItemBank, abilities: Float64Array, scale = ABILITY_SCALE): CurveFeatures {
  const { count, dims } = bank;
  const points = widened(abilities, dims, scale);
  const size = points.length / dims;
  const values = Array.from({ length: size }, (_, m) => itemResponses(points.subarray(m * dims, (m + 1) * dims), bank));
  const noise = new Float64Array(count).fill(LEAST_NOISE);
  for (const own of values) for (let i = 0; i < count; i++) noise[i]! += (own[i]! * (1 - own[i]!)) / size;
  const found = curveComponents([centredCurves(values)], { leftOut: LEFT_OUT, most: size });
  const [loadings, left] = [found.loadings[0]!, found.left[0]!];
  return { count, width: found.rank, loadings, noise: noise.map((own, i) => own + left[i]!) };
}

/** Some of the abilities, each moved away from the mean of all. */
function widened(abilities: Float64Array, dims: number, scale: number): Float64Array {
  const models = abilities.length / dims;
  const mean = new Float64Array(dims);
  for (let k = 0; k < abilities.length; k++) mean[k % dims]! += abilities[k]! / models;
  const taken = Math.min(models, MOST_ABILITIES);
  return Float64Array.from({ length: taken * dims }, (_, at) => {
    const d = at % dims;
    const model = Math.floor((Math.floor(at / dims) * models) / taken);
    return mean[d]! + scale * (abilities[model * dims + d]! - mean[d]!);
  });
}

/** Share of an item's variance that counts as its own: what the sample covariance of few models is shrunk by. */
const OWN_SHARE = 0.4;
/** {@link LEAST_NOISE} of the answers themselves. */
const ANSWER_LEAST_NOISE = 1e-6;

/**
 * The items' answers as those of a random model, by the source models' answers themselves: covariance .6·S + .4·diag S
 * with their sample covariance S.
 * @param column - the source models' scores on an item, none missing
 */
export function answerFeatures(column: (item: number) => Float64Array, count: number): CurveFeatures {
  const width = column(0).length;
  const degrees = Math.max(1, width - 1);
  const loadings = new Float64Array(count * width);
  const noise = new Float64Array(count).fill(ANSWER_LEAST_NOISE);
  for (let i = 0; i < count; i++) {
    const scores = column(i);
    const mean = scores.reduce((sum, score) => sum + score, 0) / width;
    scores.forEach((score, m) => {
      loadings[i * width + m] = (score - mean) * Math.sqrt((1 - OWN_SHARE) / degrees);
      noise[i]! += (OWN_SHARE * (score - mean) ** 2) / degrees;
    });
  }
  return { count, width, loadings, noise };
}
