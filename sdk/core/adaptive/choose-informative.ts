import type { AbilityEstimate } from "../ability/types.ts";
import { logitInformation } from "../irt/information.ts";
import type { RandomSource } from "../numeric/random.ts";
import type { Population } from "./population.ts";

const ASKED = 1;
const PASSED_OVER = 2;

/**
 * The open items that tell most of the ability, one after another: the item that raises the determinant of the
 * posterior's information most, log(1 + I_i·aᵢᵀΣ̂aᵢ) with I_i the information on its logit at θ̂, then the next one under
 * Σ̂ − I Σ̂a aᵀΣ̂/(1 + I aᵀΣ̂a). In one dimension that is maximum Fisher information. An item that would be asked too
 * often is passed over with probability 1 − its exposure factor.
 * @param abilities - one a bank
 * @param asked - positions that were asked before
 * @returns positions, the most informative first; fewer than `size` where no more are left
 * @see Segall (1996), Psychometrika 61, 331–354 (determinant rule); Sympson & Hetter (1985) (exposure)
 */
export function chooseInformative(
  { scenarios, banks, count, exposure }: Population,
  abilities: readonly AbilityEstimate[],
  asked: ArrayLike<number>,
  size: number,
  random: RandomSource,
): number[] {
  const shut = new Uint8Array(count);
  if (exposure !== null) exposure.forEach((factor, i) => (shut[i] = random.next() < factor ? 0 : PASSED_OVER));
  for (let j = 0; j < asked.length; j++) shut[asked[j]!] = ASKED;
  const information = new Float64Array(count);
  const covariances = abilities.map(({ theta, covariance }, b) => {
    for (const s of banks[b]!.scenarios) {
      const { begin, bank } = scenarios[s]!;
      for (let at = 0; at < bank.count; at++) information[begin + at] = logitInformation(theta, bank, at);
    }
    return covariance.slice();
  });
  const chosen: number[] = [];
  while (chosen.length < size) {
    let best = { gain: -1, item: -1, bank: 0, scenario: 0 };
    banks.forEach(({ scenarios: own }, b) => {
      for (const s of own) {
        const { begin, bank } = scenarios[s]!;
        for (let at = 0; at < bank.count; at++) {
          const item = begin + at;
          if (shut[item]) continue;
          const gain = information[item]! * quadratic(bank.a, at * bank.dims, covariances[b]!, bank.dims);
          if (gain > best.gain) best = { gain, item, bank: b, scenario: s };
        }
      }
    });
    const { item, bank: b, scenario } = best;
    if (item < 0) {
      if (!shut.includes(PASSED_OVER)) break;
      shut.forEach((why, i) => (shut[i] = why === PASSED_OVER ? 0 : why)); // there is nothing else left
      continue;
    }
    chosen.push(item);
    shut[item] = ASKED;
    const { begin, bank } = scenarios[scenario]!;
    learn(covariances[b]!, bank.a, (item - begin) * bank.dims, bank.dims, information[item]!);
  }
  return chosen;
}

/** aᵀΣa. */
function quadratic(a: ArrayLike<number>, begin: number, covariance: Float64Array, dims: number): number {
  let sum = 0;
  for (let r = 0; r < dims; r++)
    for (let c = 0; c < dims; c++) sum += a[begin + r]! * covariance[r * dims + c]! * a[begin + c]!;
  return sum;
}

/** Σ − I Σa aᵀΣ/(1 + I aᵀΣa), in place. */
function learn(covariance: Float64Array, a: ArrayLike<number>, begin: number, dims: number, information: number): void {
  const direction = new Float64Array(dims);
  for (let r = 0; r < dims; r++)
    for (let c = 0; c < dims; c++) direction[r] = direction[r]! + covariance[r * dims + c]! * a[begin + c]!;
  const scale = information / (1 + information * quadratic(a, begin, covariance, dims));
  for (let r = 0; r < dims; r++)
    for (let c = 0; c < dims; c++)
      covariance[r * dims + c] = covariance[r * dims + c]! - scale * direction[r]! * direction[c]!;
}
