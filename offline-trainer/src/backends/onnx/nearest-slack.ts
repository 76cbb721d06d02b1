/** Unit roundoff of the precisions that a device computes in. */
const UNIT = { float32: 2 ** -24, float64: 2 ** -53 } as const;

/** γ_n = n·u/(1 − n·u): n roundings in a row change a number by at most this share of it; NaN where that says nothing. */
function gamma(n: number, unit: number): number {
  return n * unit < 0.5 ? (n * unit) / (1 - n * unit) : NaN;
}

/**
 * How far the scores |c|² − 2·x·c of two centroids must lie apart for the order of their squared distances, as plain
 * sums in float64 give it, to be certain: with R = |x| and C ≥ |c|,
 *
 * 2·(γ_{D+4}·(2RC + C²) + γ'_{2D+4}·(R + C)²), γ of the device's precision, γ' of float64.
 *
 * On the device a term of x·c is rounded with x, with c, as a product and in at most D additions, whatever their order
 * and with fused ones or not; |c|² is rounded less often; one more rounding is that of the least score plus this slack.
 * In float64 x and c were centred, which rounds each once, and |c|² was added up; the sums that are the standard take
 * three roundings a term and D − 1 additions, in (R + C)² at most. What is left is for numbers too small to be written
 * and for the roundings of the slack itself. Lengths are in units of about 1: the points' largest coordinate.
 * @param radius - R
 * @param reach - C, of the farthest centroid
 * @returns NaN where so many dimensions leave nothing certain
 * @see Higham (2002), Accuracy and Stability of Numerical Algorithms, §3.1
 */
export function nearestSlack(dims: number, type: keyof typeof UNIT, radius: number, reach: number): number {
  const device = gamma(dims + 4, UNIT[type]) * (2 * radius + reach) * reach;
  const standard = gamma(2 * dims + 4, UNIT.float64) * (radius + reach) ** 2;
  const tiny = (dims + 4) * (1 + radius + reach) * 2 ** -124;
  return 2.001 * (device + standard) + tiny;
}
