import { addGram } from "anchoreval/internal/core/numeric/dense";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { pivotalSample } from "anchoreval/internal/core/numeric/sampling";
import { type AnchorInput, type AnchorMethod, byAccuracy, type PreparedAnchors } from "./anchor-method.ts";
import {
  curveFeatures,
  type CurveFeatures,
  type LearnedCurves,
  type ModelsToCome,
  modelsToCome,
} from "./curve-features.ts";
import { drawnSizes, nestedAnchors, nestedLevels, tiltedWeights } from "./stratified.ts";
import { tellingItems } from "./telling-items.ts";

/** Draws screened for each size of a form. Four times as many gain a little at 10 and 30 anchors (docs/decisions/anchors.md). */
export const PROPOSALS = 100;

/** Source models at which the choice on purpose begins, how many more of them it grows with, and up to what share. */
const [FEW, MORE, MOST] = [60, 100, 2 / 3];

/**
 * Share of the anchors that are chosen on purpose: ⅔·(M − 60)/100 of M source models, within 0 and ⅔. Covariances of few
 * models are too uncertain to choose by, and a third of the anchors are always drawn: it is by them that a model unlike
 * the sources is found out (docs/decisions/anchors.md).
 */
export function purposiveShare(models: number): number {
  return Math.min(MOST, Math.max(0, (MOST * (models - FEW)) / MORE));
}

/** Weight of models like the sources where the draw's chances are by how unsure answers are (docs/decisions/anchors.md). */
const LIKE = 0.4;

/**
 * `screened`: anchors chosen on purpose for what they tell of the full score ({@link tellingItems}), more of them the more
 * source models there are ({@link purposiveShare}), beside a draw from the other items, more often of those that models like
 * the sources and stronger ones answer unsurely ({@link unsureChances}): of {@link PROPOSALS} stratified draws the one that
 * leaves the least of the full score open under the response model ({@link krigingVariance}). Nested from the largest size
 * down: each smaller one is the best of as many samples of the next larger. A purposive choice among samples: informative
 * items come more often than the stated probabilities, which are those of the draws that were screened or say what an
 * anchor stands for. They scale masses and interval; that it holds is measured on models held out, not derived.
 * @see Morgan & Rubin (2012), Annals of Statistics 40, 1263–1282, for the best of many random draws
 */
export const screened: AnchorMethod = {
  name: "screened",
  source: { module: import.meta.url, name: "screened" },
  drawn: true,
  estimator: "gate",
  prepare: (input) => screenedSamples(input),
};

/** Costs and chances of items, by which screened anchors go beside the answers. */
export interface ScreeningCosts {
  /** Of every item, above 0: the choice on purpose divides by it what the item tells. */
  readonly costs: Float64Array;
  /** Probabilities of the draw are in proportion to these, in place of {@link unsureChances}. */
  readonly chances: Float64Array;
}

/** Chooses and draws as {@link screened} does. @param by - none: items cost the same */
export function screenedSamples(input: AnchorInput, by?: ScreeningCosts): PreparedAnchors {
  const { weights, accuracy, bank, abilities, models } = input;
  const criterion = krigingVariance(curveFeatures(bank, abilities), weights);
  const order = byAccuracy(accuracy);
  const share = purposiveShare(models.length);
  const chosen = (size: number): number => Math.floor(share * size);
  const most = chosen(Math.max(...drawnSizes(input)));
  const toCome = modelsToCome(input);
  const lead = most === 0 ? [] : tellingItems(input, order, most, { costs: by?.costs, stronger: toCome.stronger });
  const certain = (size: number): number[] => lead.slice(0, chosen(size));
  const levels = nestedLevels(by?.chances ?? unsureChances(input, toCome), drawnSizes(input), certain);
  return {
    draw: (random) =>
      nestedAnchors(
        order,
        input,
        levels,
        (probabilities, size, pool) =>
          bestProposal(pool, probabilities, random.fork(`size ${size}`), criterion, PROPOSALS),
        certain,
      ),
  };
}

/**
 * Weights of the draw's probabilities by how unsure answers are: w·√v within the bounds of a tilted draw, v the mean p(1−p)
 * of models like the sources and of stronger ones ({@link modelsToCome}), two fifths and three. Of all π of a size, π ∝ w·√v
 * leaves the least variance Σw²v/π of answers about what is predicted.
 * @see Neyman (1934), Journal of the Royal Statistical Society 97, 558–625; Särndal, Swensson & Wretman (1992), §12.2
 */
export function unsureChances(
  input: LearnedCurves,
  { like, stronger }: ModelsToCome = modelsToCome(input),
): Float64Array {
  const unsure = new Float64Array(input.bank.count);
  const add = (curves: readonly Float64Array[], weight: number): void => {
    for (const chances of curves)
      for (let i = 0; i < chances.length; i++) unsure[i]! += (weight * chances[i]! * (1 - chances[i]!)) / curves.length;
  };
  add(like, LIKE);
  add(stronger, 1 - LIKE);
  return tiltedWeights(input.weights, unsure.map(Math.sqrt));
}

/**
 * The best of several pivotal samples from a pool; the first of those equally good.
 * @param pool - items, in the order that samples are spread along
 * @param probabilities - of the pool's items
 * @param criterion - of a proposal's items, in order; the smaller the better
 * @param count - proposals drawn
 * @returns positions in the pool, ascending
 */
export function bestProposal(
  pool: readonly number[],
  probabilities: Float64Array,
  random: RandomSource,
  criterion: (sample: ArrayLike<number>) => number,
  count: number,
): number[] {
  let best: number[] = [];
  let least = NaN;
  for (let k = 0; k < count; k++) {
    const positions = pivotalSample(probabilities, random);
    const value = criterion(positions.map((position) => pool[position]!));
    if (least <= value) continue;
    least = value;
    best = positions;
  }
  return best;
}

/**
 * Variance of the full score Σ w·y that the answers to a sample leave open under a Gaussian model of the items, the
 * kriging variance: uᵀ(I + Σ_A zzᵀ/d)⁻¹u + Σ_{i∉A} w²d with u = Σ_{i∉A} w·z. What the answered items show of f, and
 * that they themselves are known.
 * @param weights - item weights w, summing to 1
 * @returns a function of a sample's items, in squared score; it hardly allocates
 * @see Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, §2.1; Brus & Heuvelink (2007), Geoderma
 * 138, 86–95
 */
export function krigingVariance(
  { count, width, loadings, noise }: CurveFeatures,
  weights: Float64Array,
): (sample: ArrayLike<number>) => number {
  const total = new Float64Array(width);
  let totalNoise = 0;
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < width; k++) total[k]! += weights[i]! * loadings[i * width + k]!;
    totalNoise += weights[i]! ** 2 * noise[i]!;
  }
  const certainty = noise.map((value) => 1 / value);
  const precision = new Float64Array(width * width);
  const open = new Float64Array(width);
  let rows = new Float64Array();
  let scales = new Float64Array();
  return (sample) => {
    const n = sample.length;
    if (scales.length < n) {
      rows = new Float64Array(n * width);
      scales = new Float64Array(n);
    }
    open.set(total);
    precision.fill(0);
    for (let r = 0; r < width; r++) precision[r * width + r] = 1;
    let openNoise = totalNoise;
    for (let j = 0; j < n; j++) {
      const i = sample[j]!;
      const weight = weights[i]!;
      scales[j] = certainty[i]!;
      openNoise -= weight * weight * noise[i]!;
      for (let r = 0; r < width; r++) {
        const z = loadings[i * width + r]!;
        rows[j * width + r] = z;
        open[r]! -= weight * z;
      }
    }
    addGram(precision, width, rows, scales, n);
    return squaredLength(precision, open, width) + Math.max(0, openNoise);
  };
}

/** uᵀP⁻¹u of a positive definite P by Cholesky's factor L, as |L⁻¹u|²; P's lower triangle and u are overwritten. */
function squaredLength(precision: Float64Array, u: Float64Array, width: number): number {
  let square = 0;
  for (let r = 0; r < width; r++) {
    const row = r * width;
    let value = u[r]!;
    for (let c = 0; c <= r; c++) {
      let sum = precision[row + c]!;
      const other = c * width;
      for (let k = 0; k < c; k++) sum -= precision[row + k]! * precision[other + k]!;
      if (c < r) {
        precision[row + c] = sum / precision[other + c]!;
        value -= precision[row + c]! * u[c]!;
      } else precision[row + c] = Math.sqrt(sum);
    }
    u[r] = value / precision[row + r]!;
    square += u[r]! ** 2;
  }
  return square;
}
