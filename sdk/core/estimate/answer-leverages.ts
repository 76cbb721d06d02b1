import { itemLogit, responseDerivatives } from "../irt/response.ts";
import type { FloatArray, ItemBank } from "../irt/item-bank.ts";

/** A leverage that is cut here: an answer that moves its own prediction by more says nothing of its error. */
const LARGEST = 0.9;

/**
 * Leverage of each answer on its own prediction, h = I(z)·aᵀ·Cov(θ̂)·a with the expected information I(z) of the answer in
 * its logit: 0 for an answer that didn't move the ability, at most .9.
 * @param covariance - of the ability, D×D row-major
 * @param items - indices of the answered items
 * @returns one a item, in [0,0.9]
 * @see Cook & Weisberg (1982), Residuals and Influence in Regression, ch. 2
 */
export function answerLeverages(
  bank: ItemBank,
  theta: FloatArray,
  covariance: FloatArray,
  items: ArrayLike<number>,
): Float64Array {
  const { dims, a } = bank;
  const point = { logLikelihood: 0, slope: 0, information: 0 };
  const leverages = new Float64Array(items.length);
  for (let j = 0; j < items.length; j++) {
    const item = items[j]!;
    responseDerivatives(itemLogit(theta, bank, item), 0, bank, item, point);
    let spread = 0;
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++) spread += a[item * dims + r]! * covariance[r * dims + c]! * a[item * dims + c]!;
    leverages[j] = Math.min(LARGEST, point.information * spread);
  }
  return leverages;
}
