import { clamp, type Bounds } from "../../../sdk/core/estimators/answered-sample.ts";
import type { FormFigures, GroupFigures } from "./part.ts";

/** One model's answers to a scenario, beside what its ability predicts of all items. */
export interface PredictedAnswers {
  /** Item weights of the scenario, at least 0. */
  readonly weights: Float64Array;
  /** Predicted scores p̂ of all items, in [0,1]. */
  readonly predicted: Float64Array;
  /** Indices of the answered items, their scores, and the leverages h of each on its own prediction. */
  readonly items: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
  readonly leverages: ArrayLike<number>;
}

/** Sums over the items of a group; v are the scenario's weights of them, summing to 1. */
export interface GroupSums {
  /** Items N, and how many of them were answered. */
  readonly items: number;
  readonly answered: number;
  /** Σv·y over those that were, and Σv over the others. */
  readonly scored: number;
  readonly rest: number;
  /** Over the others Σv·p̂, Σv·p̂(1−p̂) and Σv²·p̂(1−p̂). */
  readonly expected: number;
  readonly spread: number;
  readonly noise: number;
  /** Over the answered Σ(y−p̂) and Σp̂(1−p̂)(1−h): what they tell of a shift beside the ability that they moved. */
  readonly residual: number;
  readonly information: number;
}

/** {@link sumsOver} of groups of one model's answers, of each by its items' indices, ascending. */
export function groupSums(answers: PredictedAnswers): (group: ArrayLike<number>) => GroupSums {
  const places = new Map(Array.from(answers.items, (item, j) => [item, j]));
  return (group) => sumsOver(group, answers, places);
}

/** The sums of a group, in one pass over its items. @param places - of the answered items among the answers */
function sumsOver(
  group: ArrayLike<number>,
  { weights, predicted, scores, leverages }: PredictedAnswers,
  places: ReadonlyMap<number, number>,
): GroupSums {
  let total = 0;
  let [answered, scored, rest, expected, spread, noise, residual, information] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let k = 0; k < group.length; k++) {
    const item = group[k]!;
    const weight = weights[item]!;
    total += weight;
    const p = predicted[item]!;
    const binomial = p * (1 - p);
    const place = places.get(item);
    if (place === undefined) {
      rest += weight;
      expected += weight * p;
      spread += weight * binomial;
      noise += weight * weight * binomial;
    } else {
      answered++;
      scored += weight * scores[place]!;
      residual += scores[place]! - p;
      information += binomial * (1 - leverages[place]!);
    }
  }
  const share = (value: number): number => value / total; // not the weights themselves: all right is exactly 1
  return {
    items: group.length,
    answered,
    scored: share(scored),
    rest: share(rest),
    expected: share(expected),
    spread: share(spread),
    noise: share(share(noise)),
    residual,
    information,
  };
}

/** A group's score in [0,1], the variance that the model gives it, and the range that the answers alone prove. */
export interface GroupScore {
  readonly score: number;
  readonly variance: number;
  readonly bounds: Bounds;
}

/** The shift of all logits of a scenario that brings its prediction to its score, and the variance of that. */
export interface CommonShift {
  readonly shift: number;
  readonly variance: number;
}

/**
 * The shift c of a whole scenario: what its score has beyond the prediction, over Σw·p̂(1−p̂) of the items not answered.
 * @param score - of the scenario
 * @param deviation - its standard deviation, 0 where that isn't known
 * @param sums - of all its items
 */
export function commonShift(score: number, deviation: number, { scored, expected, spread }: GroupSums): CommonShift {
  if (spread <= LEAST_SPREAD) return NO_SHIFT;
  return { shift: (score - scored - expected) / spread, variance: (deviation / spread) ** 2 };
}

/** Where nothing is left to predict there is no shift, but for rounding. */
const LEAST_SPREAD = 1e-9;

export const NO_SHIFT: CommonShift = { shift: 0, variance: 0 };

/**
 * The score of a group: its answers as they are, and of the other items what the ability predicts with all logits moved by
 * c + u to first order, Σv·y + Σv·p̂ + (c + u)·Σv·p̂(1−p̂). c is the shift of the whole scenario; u is the group's own beside
 * it, the posterior mean of a N(μ, τ²) by its answers' residuals,
 *
 *   u = μ + (Σ(y−p̂) − (c+μ)·I)/φ / (I/φ + 1/τ²),   I = Σp̂(1−p̂)(1−h) over the answered,
 *
 * and V = (Σv·p̂(1−p̂))²·(Var c + 1/(I/φ + 1/τ²)) + φ·Σv²·p̂(1−p̂) + (rest/2N)²: what is left of c and u, the noise of the
 * items that weren't answered, and the rounding of a score of N items. Without answers in the group u is μ; the more there
 * are, the more it is their own.
 * @see Wainer et al. (2001), Augmented scores; Haberman (2008), Journal of Educational and Behavioral Statistics 33, 204–229
 * @example groupScore(sums, { shift: 0, variance: 0.05 }, 1, NO_SHIFT).score
 */
export function groupScore(
  { items, scored, rest, expected, spread, noise, residual, information }: GroupSums,
  { shift, variance }: Pick<GroupFigures, "shift" | "variance">,
  dispersion: FormFigures["dispersion"],
  common: CommonShift,
): GroupScore {
  const bounds = { low: Math.min(1, scored), high: Math.min(1, scored + rest) };
  const phi = Math.max(dispersion, LEAST_DISPERSION);
  const left = variance === 0 ? 0 : 1 / (information / phi + 1 / variance);
  const beside = shift + (left * (residual - (common.shift + shift) * information)) / phi;
  const score = clamp(scored + expected + (common.shift + beside) * spread, bounds);
  const modelled = spread * spread * (common.variance + left) + phi * noise;
  return { score, variance: modelled + (rest / (2 * items)) ** 2, bounds };
}

/** Answers that never lie off their prediction have none; 0 would let one of them decide. Chosen, not measured. */
const LEAST_DISPERSION = 1e-3;
