import { higherOrderAbilities } from "../../../sdk/core/ability/higher-order.ts";
import { type AbilityEstimate, mapAbility, type ScoredItems } from "../../../sdk/core/ability/map.ts";
import type { AbilityPrior, HigherOrderPrior } from "../../../sdk/core/ability/prior.ts";
import { gatherItems } from "../../../sdk/core/scoring/bank-ability.ts";
import type { ItemBank } from "../../../sdk/core/irt/item-bank.ts";
import { itemLogits, withAsymptotes } from "../../../sdk/core/irt/response.ts";
import { quadraticForm } from "../../../sdk/core/numeric/dense.ts";
import { applyMonotoneMap, type MonotoneMap, sigmoids } from "../../../sdk/core/numeric/functions.ts";

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
