import type { RandomSource } from "../numeric/random.ts";
import { inclusionProbabilities } from "../sampling/inclusion-probabilities.ts";
import { pivotalSample } from "../sampling/pivotal-sample.ts";
import type { Population } from "./population.ts";

/**
 * Share of every batch that is drawn by weight alone, whatever the answers so far foretell: what bounds the price of a
 * wrong prediction. No item's probability is less than this share of what it would be without predictions.
 */
export const UNIFORM_SHARE = 0.1;

/** Items drawn at once, with the probabilities that they were drawn with. */
export interface DrawnBatch {
  /** Positions in the population, in the order of the draw's strata. */
  readonly items: Uint32Array;
  /** π of each, in (0,1]. */
  readonly inclusion: Float64Array;
}

/**
 * Draws the next items among those not asked yet, with probabilities π_i ∝ (1−τ)·h_i/Σh + τ·w_i/Σw: h_i = w_i·σ_i is
 * the best choice for a sum of weighted residuals with standard deviations σ_i (Neyman), τ = {@link UNIFORM_SHARE}.
 * Ordered pivotal sampling, scenario by scenario along the expected score: items that the model finds about as hard
 * share a stratum, so an ability that is still wrong moves all strata's residuals alike and hardly the score.
 * @param asked - positions that were asked before
 * @param expected - p̂ of every item, one array a model that is asked; σ_i² = Σ_models p̂(1−p̂)
 * @param size - 1 ≤ size ≤ items left
 * @see Neyman (1934); Wu, Nair & Candès (2026), "Efficiently evaluating LLMs", for the mixture
 */
export function drawBatch(
  { scenarios, weights, count, exposure }: Population,
  asked: ArrayLike<number>,
  expected: readonly Float64Array[],
  size: number,
  random: RandomSource,
): DrawnBatch {
  const open = new Uint8Array(count).fill(1);
  for (let j = 0; j < asked.length; j++) open[asked[j]!] = 0;
  const order = new Uint32Array(count - asked.length);
  let at = 0;
  for (const { begin, bank } of scenarios) {
    const from = at;
    for (let i = begin; i < begin + bank.count; i++) if (open[i]) order[at++] = i;
    order.subarray(from, at).sort((x, y) => difficulty(expected, y) - difficulty(expected, x) || x - y);
  }
  let total = 0;
  let plain = 0;
  const spread = Float64Array.from(order, (i) => {
    let variance = 0;
    for (const own of expected) variance += own[i]! * (1 - own[i]!);
    const h = weights[i]! * Math.sqrt(variance);
    total += h;
    plain += weights[i]!;
    return h;
  });
  const shares = spread.map((h, k) => {
    const i = order[k]!;
    const own = ((1 - UNIFORM_SHARE) * h) / total + (UNIFORM_SHARE * weights[i]!) / plain;
    return exposure === null ? own : own * exposure[i]!;
  });
  const inclusion = inclusionProbabilities(shares, size);
  const drawn = pivotalSample(inclusion, random);
  return {
    items: Uint32Array.from(drawn, (k) => order[k]!),
    inclusion: Float64Array.from(drawn, (k) => inclusion[k]!),
  };
}

function difficulty(expected: readonly Float64Array[], item: number): number {
  let sum = 0;
  for (const own of expected) sum += own[item]!;
  return sum;
}
