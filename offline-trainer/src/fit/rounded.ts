/** Six decimals: a ten-thousandth of a point is more than any error is known to. */
export function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
