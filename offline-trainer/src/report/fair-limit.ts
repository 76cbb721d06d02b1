/**
 * The largest limit a list that keeps them all together within `total`: short lists leave their share to long ones.
 * @param least - what every list may have in any case
 * @returns Infinity where nothing has to be thinned
 * @example fairLimit([10, 100, 500], 300, 50) // 190
 */
export function fairLimit(lengths: readonly number[], total: number, least: number): number {
  const sorted = [...lengths].sort((x, y) => x - y);
  let left = total;
  for (const [k, length] of sorted.entries()) {
    const share = left / (sorted.length - k);
    if (length > share) return Math.max(least, Math.floor(share));
    left -= length;
  }
  return Infinity;
}
