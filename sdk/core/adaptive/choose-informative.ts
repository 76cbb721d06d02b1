import type { AbilityEstimate } from "../ability/types.ts";
import { logitInformation } from "../irt/information.ts";
import { quadraticForm } from "../numeric/quadratic-form.ts";
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
  const variance = new Float64Array(count);
  const covariances = abilities.map(({ theta, covariance }, b) => {
    for (const s of banks[b]!.scenarios) {
      const { begin, bank } = scenarios[s]!;
      for (let at = 0; at < bank.count; at++) {
        information[begin + at] = logitInformation(theta, bank, at);
        variance[begin + at] = quadraticForm(bank.a, at * bank.dims, covariance, bank.dims);
      }
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
    const b = banks.findIndex((bank) => bank.scenarios.includes(scenario));
    const { begin, bank } = scenarios[scenario]!;
    const direction = times(covariances[b]!, bank.a, (item - begin) * bank.dims, bank.dims);
    const scale = information[item]! / (1 + best);
    subtractSquare(covariances[b]!, direction, scale);
    for (const s of banks[b]!.scenarios) {
      const { begin: first, bank: own } = scenarios[s]!;
      for (let at = 0; at < own.count; at++) {
        let along = 0;
        for (let d = 0; d < own.dims; d++) along += own.a[at * own.dims + d]! * direction[d]!;
        variance[first + at] = variance[first + at]! - scale * along * along;
      }
    }
  }
  return chosen;
}

/** Σa. */
function times(covariance: Float64Array, a: ArrayLike<number>, begin: number, dims: number): Float64Array {
  const out = new Float64Array(dims);
  for (let r = 0; r < dims; r++)
    for (let c = 0; c < dims; c++) out[r] = out[r]! + covariance[r * dims + c]! * a[begin + c]!;
  return out;
}

/** Σ − s·ddᵀ, in place. */
function subtractSquare(covariance: Float64Array, direction: Float64Array, scale: number): void {
  const dims = direction.length;
  for (let r = 0; r < dims; r++)
    for (let c = 0; c < dims; c++)
      covariance[r * dims + c] = covariance[r * dims + c]! - scale * direction[r]! * direction[c]!;
}
