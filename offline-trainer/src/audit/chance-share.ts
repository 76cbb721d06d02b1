/** Opposite values that the tail is extrapolated from, and fewest for doing so. */
const TAIL = 100;
const LEAST_TAIL = 10;

/**
 * Estimated share of chance among the values that are at least as high as each, where chance is as likely to make a
 * value −v as v and nothing else makes one negative: the number of opposite values beyond v over that of values.
 *
 * Beyond the opposite values' upper hundred, their number is extrapolated by an exponential tail of the same mean
 * excess, so that one value far above all others isn't taken for chance because it is alone. Tails of sums of many
 * answers fall faster than that: the estimate errs on the cautious side.
 * @param values - descending
 * @param opposite - what the negative values are without their sign, descending
 * @returns in [0,1], never falling
 * @see Barber & Candès (2015), Annals of Statistics 43, 2055–2085; Pickands (1975), ibid. 3, 119–131 for the tail
 */
export function chanceShares(values: Float64Array, opposite: Float64Array): Float64Array {
  const tail = Math.min(TAIL, Math.floor(opposite.length / 2));
  const start = opposite[tail] ?? Infinity;
  let excess = 0;
  for (let k = 0; k < tail; k++) excess += (opposite[k]! - start) / tail;
  const extrapolated = tail >= LEAST_TAIL && excess > 0;
  let beyond = 0;
  const shares = values.map((value, k) => {
    while (beyond < opposite.length && opposite[beyond]! >= value) beyond++;
    const expected = extrapolated && value > start ? tail * Math.exp((start - value) / excess) : 1 + beyond;
    return Math.min(1, expected / (k + 1));
  });
  for (let k = shares.length - 2; k >= 0; k--) shares[k] = Math.min(shares[k]!, shares[k + 1]!);
  return shares;
}
