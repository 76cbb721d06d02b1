import { higherOrderAbilities } from "../../../sdk/core/ability/higher-order.ts";
import { type AbilityEstimate, mapAbility, type ScoredItems } from "../../../sdk/core/ability/map.ts";
import type { AbilityPrior, HigherOrderPrior } from "../../../sdk/core/ability/prior.ts";
import { gatherItems } from "../../../sdk/core/scoring/bank-ability.ts";
import type { ItemBank } from "../../../sdk/core/irt/item-bank.ts";
import { itemLogits, withAsymptotes, logitInformation } from "../../../sdk/core/irt/response.ts";
import { quadraticForm } from "../../../sdk/core/numeric/dense.ts";
import { applyMonotoneMap, type MonotoneMap, sigmoids } from "../../../sdk/core/numeric/functions.ts";
import type { RandomSource } from "../../../sdk/core/numeric/random.ts";
import { inclusionProbabilities, pivotalSample } from "../../../sdk/core/numeric/sampling.ts";

/** The items that an adaptive evaluation draws from: all of one scenario or of several, one after another. */
export interface Population {
  /** Each with an ability of its own; its items stand together, from `begin` on, in parameter order. */
  readonly scenarios: readonly PopulationScenario[];
  readonly count: number;
  /** Of every item in the score, summing to 1. */
  readonly weights: Float64Array;
  /** Factor in (0,1] of every item's probability, by its price; null = all 1. */
  readonly factors: Float64Array | null;
}

/** A scenario's items among those of all. */
interface PopulationScenario {
  readonly id: string;
  readonly begin: number;
  readonly bank: ItemBank;
  /** From response probability to score, where scores were binarised for the fit. */
  readonly scoreMap: MonotoneMap | null;
  /** Of its ability; tied to the other scenarios' where it is a higher-order one: then all of them are. */
  readonly prior: AbilityPrior | HigherOrderPrior;
}

/** Positions of a part of the score. @param part - 0 for the whole of it, s + 1 for scenario s */
export function partRange({ scenarios, count }: Population, part: number): { begin: number; end: number } {
  if (part === 0) return { begin: 0, end: count };
  const { begin, bank } = scenarios[part - 1]!;
  return { begin, end: begin + bank.count };
}

/**
 * Expected score of every item under the ability's posterior N(θ̂, Σ̂), from the answers so far; under the prior before
 * the first one: p̂_i = E σ(a_iᵀθ − b_i) ≈ σ(z_i/√(1 + πv_i/8)), v_i = a_iᵀΣ̂a_i, with asymptotes and on the score's
 * scale.
 * @param asked - positions in the population, with scores; NaN = asked without an answer
 * @returns aligned with the population
 * @see MacKay (1992), Neural Computation 4, 720–736, for the approximation
 */
export function predictAnswers(population: Population, asked: ScoredItems): Float64Array {
  const abilities = populationAbilities(population, asked);
  const expected = new Float64Array(population.count);
  population.scenarios.forEach((scenario, s) => expectScores(scenario, abilities[s]!, expected));
  return expected;
}

/** Ability in every scenario from the answers so far, in all of them where they are linked; the prior's before the first. */
export function populationAbilities({ scenarios }: Population, { items, scores }: ScoredItems): AbilityEstimate[] {
  const blocks = scenarios.map(({ begin, bank, prior }) => {
    const inside = Array.from({ length: items.length }, (_, j) => j).filter(
      (j) => items[j]! >= begin && items[j]! < begin + bank.count,
    );
    const gathered = gatherItems({
      bank,
      items: inside.map((j) => items[j]! - begin),
      scores: inside.map((j) => scores[j]!),
    });
    return { prior, bank: gathered?.bank ?? bank, answers: gathered ?? { items: [], scores: [] } };
  });
  if (blocks.every(({ prior }) => "general" in prior))
    return higherOrderAbilities(blocks.map((block) => ({ ...block, prior: block.prior as HigherOrderPrior })));
  return blocks.map(({ bank, answers, prior }) => mapAbility(bank, answers, prior));
}

function expectScores(
  { bank, begin, scoreMap }: PopulationScenario,
  { theta, covariance }: AbilityEstimate,
  out: Float64Array,
): void {
  const logits = itemLogits(theta, bank, out.subarray(begin, begin + bank.count));
  for (let i = 0; i < bank.count; i++) {
    const variance = quadraticForm(bank.a, i * bank.dims, covariance, bank.dims);
    logits[i] = logits[i]! / Math.sqrt(1 + (Math.PI / 8) * variance);
  }
  sigmoids(logits);
  for (let i = 0; i < bank.count; i++) {
    const p = withAsymptotes(logits[i]!, bank, i);
    logits[i] = scoreMap === null ? p : applyMonotoneMap(scoreMap, p);
  }
}

/**
 * Share of every batch that is drawn by weight alone, whatever the answers so far predict: what bounds the price of a
 * wrong prediction. No item's probability is less than this share of what it would be without predictions.
 */
export const UNIFORM_SHARE = 0.1;

/** Items with their probabilities of being drawn: those that may be, or those that were. */
interface DrawnBatch {
  /** Positions in the population, in the order of the draw's strata. */
  readonly items: Uint32Array;
  /** π of each, in (0,1]. */
  readonly inclusion: Float64Array;
}

/**
 * Probabilities of the items not asked yet to be drawn next, π_i ∝ k_i·((1−τ)·h_i/Σh + τ·w_i/Σw): h_i = w_i·σ_i is the
 * best choice for a sum of weighted residuals with standard deviations σ_i (Neyman), τ = .1, and k_i the item's factor.
 * @param asked - positions that were asked before
 * @param expected - p̂ of every item, one array a model that is asked; σ_i² = Σ_models p̂(1−p̂)
 * @param size - 1 ≤ size ≤ items left
 * @returns all open items, scenario by scenario along the expected score, with π of each in (0,1]; Σπ = size
 * @see Neyman (1934); Wu, Nair & Candès (2026), "Efficiently evaluating LLMs", for the mixture
 */
export function batchProbabilities(
  { scenarios, weights, count, factors }: Population,
  asked: ArrayLike<number>,
  expected: readonly Float64Array[],
  size: number,
): DrawnBatch {
  const order = drawingOrder(scenarios, asked, expected, count);
  const spread = new Float64Array(order.length);
  let total = 0;
  let plain = 0;
  for (let k = 0; k < order.length; k++) {
    const i = order[k]!;
    let variance = 0;
    for (const chances of expected) variance += chances[i]! * (1 - chances[i]!);
    spread[k] = weights[i]! * Math.sqrt(variance);
    total += spread[k]!;
    plain += weights[i]!;
  }
  const shares = spread.map((h, k) => {
    const i = order[k]!;
    const chance = ((1 - UNIFORM_SHARE) * h) / total + (UNIFORM_SHARE * weights[i]!) / plain;
    return factors === null ? chance : chance * factors[i]!;
  });
  return { items: order, inclusion: inclusionProbabilities(shares, size) };
}

/**
 * Draws the next items with their {@link batchProbabilities}: ordered pivotal sampling, scenario by scenario along the
 * expected score. Items that the model finds about as hard share a stratum, so an ability that is still wrong moves all
 * strata's residuals alike and hardly the score.
 */
export function drawBatch(
  population: Population,
  asked: ArrayLike<number>,
  expected: readonly Float64Array[],
  size: number,
  random: RandomSource,
): DrawnBatch {
  const { items, inclusion } = batchProbabilities(population, asked, expected, size);
  const drawn = pivotalSample(inclusion, random);
  return {
    items: Uint32Array.from(drawn, (k) => items[k]!),
    inclusion: Float64Array.from(drawn, (k) => inclusion[k]!),
  };
}

/** Steps that expected scores are told apart by where items are put in order. */
const STEPS = 2 ** 30;

/** Open items, scenario by scenario, in each from the easiest for these models to the hardest; ties by position. */
function drawingOrder(
  scenarios: Population["scenarios"],
  asked: ArrayLike<number>,
  expected: readonly Float64Array[],
  count: number,
): Uint32Array {
  const open = new Uint8Array(count).fill(1);
  for (let j = 0; j < asked.length; j++) open[asked[j]!] = 0;
  const order = new Uint32Array(count - asked.length);
  let at = 0;
  for (const { begin, bank } of scenarios) {
    // Numbers sort faster by themselves than by a function: a step of the expected score, then the position, in one.
    const keys = new Float64Array(bank.count);
    let left = 0;
    for (let i = begin; i < begin + bank.count; i++) {
      if (!open[i]) continue;
      let missed = 0;
      for (const chances of expected) missed += 1 - chances[i]!;
      keys[left++] = Math.round((missed / expected.length) * STEPS) * count + i;
    }
    const sorted = keys.subarray(0, left).sort();
    for (let k = 0; k < left; k++) order[at++] = sorted[k]! % count;
  }
  return order;
}

const ASKED = 1;
const PASSED_OVER = 2;

/**
 * The open items that tell most of the ability, one after another: the item that raises the determinant of the
 * posterior's information most, log(1 + I_i·aᵢᵀΣ̂aᵢ) with I_i the information on its logit at θ̂, then the next one under
 * Σ̂ − I Σ̂a aᵀΣ̂/(1 + I aᵀΣ̂a). In one dimension that is maximum Fisher information. An item is passed over with
 * probability 1 − its factor.
 * @param abilities - one a scenario
 * @param asked - positions that were asked before
 * @returns positions, the most informative first; fewer than `size` where no more are left
 * @see Segall (1996), Psychometrika 61, 331–354 (determinant rule); Sympson & Hetter (1985), Controlling item-exposure rates (passing over)
 */
export function chooseInformative(
  { scenarios, count, factors }: Population,
  abilities: readonly AbilityEstimate[],
  asked: ArrayLike<number>,
  size: number,
  random: RandomSource,
): number[] {
  const shut = new Uint8Array(count);
  if (factors !== null) factors.forEach((factor, i) => (shut[i] = random.next() < factor ? 0 : PASSED_OVER));
  for (let j = 0; j < asked.length; j++) shut[asked[j]!] = ASKED;
  const information = new Float64Array(count);
  const variance = new Float64Array(count);
  const covariances = abilities.map(({ theta, covariance }, s) => {
    const { begin, bank } = scenarios[s]!;
    for (let at = 0; at < bank.count; at++) {
      information[begin + at] = logitInformation(theta, bank, at);
      variance[begin + at] = quadraticForm(bank.a, at * bank.dims, covariance, bank.dims);
    }
    return covariance.slice();
  });
  const chosen: number[] = [];
  while (chosen.length < size) {
    let item = -1;
    let best = -1;
    for (let i = 0; i < count; i++) {
      const gain = information[i]! * variance[i]!;
      if (shut[i] || gain <= best) continue;
      item = i;
      best = gain;
    }
    if (item < 0) {
      if (!shut.includes(PASSED_OVER)) break;
      shut.forEach((why, i) => (shut[i] = why === PASSED_OVER ? 0 : why)); // there is nothing else left
      continue;
    }
    chosen.push(item);
    shut[item] = ASKED;
    const scenario = scenarios.findLastIndex(({ begin }) => begin <= item);
    const { begin, bank } = scenarios[scenario]!;
    const { dims } = bank;
    const a = Float64Array.from(bank.a.subarray((item - begin) * dims, (item - begin + 1) * dims));
    const covariance = covariances[scenario]!;
    const direction = Float64Array.from(a, (_, r) =>
      a.reduce((sum, entry, c) => sum + covariance[r * dims + c]! * entry, 0),
    );
    const scale = information[item]! / (1 + best);
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++)
        covariance[r * dims + c] = covariance[r * dims + c]! - scale * direction[r]! * direction[c]!;
    for (let at = 0; at < bank.count; at++) {
      let along = 0;
      for (let d = 0; d < dims; d++) along += bank.a[at * dims + d]! * direction[d]!;
      variance[begin + at] = variance[begin + at]! - scale * along * along;
    }
  }
  return chosen;
}
