/** Factors 1 + e⁻|ᶻ| ≤ 2 that a double takes before their logarithm must be. */
const MOST_FACTORS = 1000;

/**
 * What many answers to items without asymptotes say at one ability: {@link responseDerivatives} of each, and with one
 * logarithm for all of them: Σ log P(y | z) = Σ (y − [z ≥ 0])·z − log Π (1 + e⁻|ᶻ|).
 * @param rows - a of every answer's item, n×D row-major
 * @param intercepts - b of every answer's item
 * @param scores - in [0,1]
 * @param slopes - filled with y − P
 * @param informations - filled with PQ
 * @returns the log-likelihood
 */
export function logisticAnswers(
  theta: Float64Array,
  rows: Float64Array,
  intercepts: Float64Array,
  scores: Float64Array,
  slopes: Float64Array,
  informations: Float64Array,
): number {
  const dims = theta.length;
  let sum = 0;
  let product = 1;
  for (let j = 0, at = 0; j < scores.length; j++) {
    let z = -intercepts[j]!;
    for (let d = 0; d < dims; d++, at++) z += rows[at]! * theta[d]!;
    const y = scores[j]!;
    const e = Math.exp(-Math.abs(z));
    const near = 1 / (1 + e);
    const far = e / (1 + e);
    slopes[j] = y - (z < 0 ? far : near);
    informations[j] = near * far;
    sum += (z < 0 ? y : y - 1) * z;
    product *= 1 + e;
    if (j % MOST_FACTORS === MOST_FACTORS - 1) {
      sum -= Math.log(product);
      product = 1;
    }
  }
  return sum - Math.log(product);
}
