import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { centredCurves, curveComponents } from "../numeric/curve-components.ts";
import type { AnchorInput } from "./anchor-method.ts";

/**
 * How far beyond the sources' range samples are balanced: abilities count at μ + 2(θ − μ), μ their mean, so that models
 * stronger than any seen are balanced for too (docs/decisions/anchors.md).
 */
const ABILITY_SCALE = 2;

/** Abilities looked at, evenly by position among the sources. Bounds the time of a look; chosen, not measured. */
const MOST_ABILITIES = 24;

/**
 * Share of the curves' variance that counts as noise: curves have few shapes, and a proposal costs their square.
 * Chosen, not measured.
 */
const LEFT_OUT = 0.01;

/** Added to every item's noise: no item is known without asking. Chosen, not measured. */
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
  const rows = someModels(abilities.length / bank.dims, MOST_ABILITIES);
  return featuresOf(movedAbilities(rows, bank.dims, abilities, scale).map((place) => itemResponses(place, bank)));
}

/** Items as a random one of some models answers them. @param curves - chances of every item, by model */
export function featuresOf(curves: readonly Float64Array[]): CurveFeatures {
  const [count, size] = [curves[0]!.length, curves.length];
  const noise = new Float64Array(count).fill(LEAST_NOISE);
  for (const chances of curves) for (let i = 0; i < count; i++) noise[i]! += (chances[i]! * (1 - chances[i]!)) / size;
  const centred = centredCurves(curves.map((chances) => chances.slice()));
  const components = curveComponents([centred], { leftOut: LEFT_OUT, most: size });
  const [loadings, left] = [components.loadings[0]!, components.left[0]!];
  return { count, width: components.rank, loadings, noise: noise.map((value, i) => value + left[i]!) };
}

/** Evenly by position, so many of the models at most. */
export function someModels(models: number, most: number): number[] {
  const taken = Math.min(models, most);
  return Array.from({ length: taken }, (_, k) => Math.floor((k * models) / taken));
}

/** The abilities of some models, each moved away from the mean of all by a factor. */
function movedAbilities(rows: readonly number[], dims: number, abilities: Float64Array, scale: number): Float64Array[] {
  const models = abilities.length / dims;
  const mean = new Float64Array(dims);
  for (let k = 0; k < abilities.length; k++) mean[k % dims]! += abilities[k]! / models;
  return rows.map((m) => mean.map((centre, d) => centre + scale * (abilities[m * dims + d]! - centre)));
}

/**
 * Share of the answers' covariance beyond the curves' that counts; noise is the rest of what the curves leave open
 * (docs/decisions/anchors.md).
 */
const RESIDUAL_SHARE = 0.5;

/**
 * Source models whose curves and answers are looked at, evenly by position among them. Bounds the time on boards of
 * thousands; chosen, not measured.
 */
const MOST_MODELS = 512;

/**
 * How far beyond the sources' range anchors chosen on purpose tell models apart: less than samples are balanced for
 * (docs/decisions/anchors.md).
 */
const PURPOSIVE_SCALE = 1.5;

/** Loadings an item that {@link answerFeatures} has. */
export function answerWidth({ models }: Pick<AnchorInput, "models">): number {
  return 2 * Math.min(models.length, MOST_MODELS);
}

/** Items whose curves are taken together: what is written of them stays in a core's cache. Chosen, not measured. */
const FEATURE_TILE = 32;

/**
 * The items' answers as those of a random model, by the response model and by what the source models' answers add to it:
 * Cov(y_i, y_j) = Cov(P_i, P_j) + ½·Cov(y_i − P_i, y_j − P_j) over the sources, P at abilities whose range is widened, and
 * ½·mean P(1−P) as each item's own variance. Curves alone miss what items share beyond the abilities; the answers' own
 * covariances are noise where models are few.
 * @param input - the bank, the sources' abilities, and their scores on every item, none missing
 * @param room - for the loadings, zeros: a row an item, of {@link answerWidth} numbers at least
 */
export function answerFeatures(
  { bank, abilities, column }: Pick<AnchorInput, "bank" | "abilities" | "column">,
  room?: Float64Array,
): CurveFeatures {
  const { count, dims } = bank;
  const rows = someModels(abilities.length / dims, MOST_MODELS);
  const size = rows.length;
  const places = movedAbilities(rows, dims, abilities, PURPOSIVE_SCALE);
  const loadings = room ?? new Float64Array(count * 2 * size);
  const width = loadings.length / count;
  const residuals = new Float64Array(size);
  const noise = new Float64Array(count);
  const chances = new Float64Array(FEATURE_TILE);
  const curves = new Float64Array(FEATURE_TILE * size);
  const curve = Math.sqrt(1 / size);
  const residual = Math.sqrt(RESIDUAL_SHARE / size);
  for (let begin = 0; begin < count; begin += FEATURE_TILE) {
    const end = Math.min(count, begin + FEATURE_TILE);
    for (let k = 0; k < size; k++) {
      itemResponses(places[k]!, bank, chances, begin);
      for (let i = begin; i < end; i++) curves[(i - begin) * size + k] = chances[i - begin]!;
    }
    for (let i = begin; i < end; i++) {
      const answers = column(i);
      let [open, curveSum, residualSum] = [0, 0, 0];
      for (let k = 0, at = (i - begin) * size; k < size; k++, at++) {
        const p = curves[at]!;
        open += p * (1 - p);
        curveSum += p;
        residualSum += residuals[k] = answers[rows[k]!]! - p;
      }
      noise[i] = LEAST_NOISE + ((1 - RESIDUAL_SHARE) * open) / size;
      const [curveMean, residualMean] = [curveSum / size, residualSum / size];
      for (let k = 0, at = i * width; k < size; k++, at++) {
        loadings[at] = curve * (curves[(i - begin) * size + k]! - curveMean);
        loadings[at + size] = residual * (residuals[k]! - residualMean);
      }
    }
  }
  return { count, width, loadings, noise };
}

/** Shares of the stronger source models' errors that models still to come have mended (docs/decisions/anchors.md). */
const MENDED = [0.25, 0.5, 0.75];

/** Source models looked at for models to come, evenly by position. Bounds the time; chosen, not measured. */
const MOST_LOOKED_AT = 48;

export type LearnedCurves = Pick<AnchorInput, "weights" | "bank" | "abilities">;

/** Response curves of models to come: every item's chances of a right answer, by model. */
export interface ModelsToCome {
  /** Of the sources. */
  readonly like: readonly Float64Array[];
  /** Of their stronger half by expected score, with each share of {@link MENDED}: a shift of all logits. */
  readonly stronger: readonly Float64Array[];
}

/** Response curves of models like the sources and of models stronger than they are. */
export function modelsToCome({ weights, bank, abilities }: LearnedCurves): ModelsToCome {
  const curves = someModels(abilities.length / bank.dims, MOST_LOOKED_AT)
    .map((m) => itemResponses(abilities.subarray(m * bank.dims, (m + 1) * bank.dims), bank))
    .map((chances) => ({ chances, score: shiftedScore(chances, weights, 1) }))
    .sort((x, y) => x.score - y.score);
  const stronger = MENDED.flatMap((share) =>
    curves.slice(Math.floor(curves.length / 2)).map(({ chances, score }) => {
      const odds = oddsFor(chances, weights, score + share * (1 - score));
      return chances.map((chance) => shifted(chance, odds));
    }),
  );
  return { like: curves.map(({ chances }) => chances), stronger };
}

/** A chance whose odds are so many times as large. */
function shifted(chance: number, odds: number): number {
  return (odds * chance) / (1 - chance + odds * chance);
}

function shiftedScore(chances: Float64Array, weights: Float64Array, odds: number): number {
  let score = 0;
  for (let i = 0; i < chances.length; i++) score += weights[i]! * shifted(chances[i]!, odds);
  return score;
}

/**
 * Halvings that find a shift to a ten-thousandth, and the logits beyond which chances that rise no further are those of a bank
 * with asymptotes. Chosen, not measured.
 */
const [HALVINGS, MOST_SHIFT] = [17, 12];

/** How many times as large the odds must be for an expected score, above the chances' own. */
function oddsFor(chances: Float64Array, weights: Float64Array, score: number): number {
  let [low, high] = [0, MOST_SHIFT];
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2;
    if (shiftedScore(chances, weights, Math.exp(middle)) < score) low = middle;
    else high = middle;
  }
  return Math.exp((low + high) / 2);
}
