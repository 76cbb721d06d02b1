/**
 * Splits a total into whole parts in proportion to weights, each at least `least`, by largest remainders: every part gets
 * the whole number of its exact share, and those with the largest remainders get one more until the total is met; ties go
 * to the first.
 * @param weights - positive
 * @returns parts that sum to `total`
 * @throws RangeError where the total is less than `weights.length · least`
 * @example apportion(10, [1, 1, 2], 1) // [3, 3, 4]: one each, then 7 as 1.75, 1.75, 3.5
 * @see Hamilton's method of apportionment
 */
export function apportion(total: number, weights: readonly number[], least: number): number[] {
  const free = total - weights.length * least;
  if (free < 0) throw new RangeError(`${total} can't be split into ${weights.length} parts of at least ${least}`);
  const mass = weights.reduce((sum, weight) => sum + weight, 0);
  const exact = weights.map((weight) => (free * weight) / mass);
  const parts = exact.map((share) => least + Math.floor(share));
  const left = total - parts.reduce((sum, part) => sum + part, 0);
  const byRemainder = exact
    .map((share, index) => ({ index, remainder: share - Math.floor(share) }))
    .sort((x, y) => y.remainder - x.remainder || x.index - y.index);
  for (let k = 0; k < left; k++) parts[byRemainder[k]!.index]!++;
  return parts;
}
