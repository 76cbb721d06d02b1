/** Σ, in their order. */
export function total(values: readonly number[] | Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** NaN of none. */
export function mean(values: readonly number[] | Float64Array): number {
  return total(values) / values.length;
}

/** Mean squared difference from the mean: over n, not n − 1. */
export function variance(values: readonly number[] | Float64Array): number {
  const centre = mean(values);
  let squares = 0;
  for (const value of values) squares += (value - centre) ** 2;
  return squares / values.length;
}

/** Those that are numbers. */
export function numbers(values: Iterable<number>): number[] {
  return Array.from(values).filter((value) => !Number.isNaN(value));
}

/** Pearson's correlation; null where one side doesn't vary. */
export function pearson(left: Float64Array, right: Float64Array): number | null {
  const [x, y] = [mean(left), mean(right)];
  let [xy, xx, yy] = [0, 0, 0];
  left.forEach((value, i) => {
    xy += (value - x) * (right[i]! - y);
    xx += (value - x) ** 2;
    yy += (right[i]! - y) ** 2;
  });
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : null;
}

/** Ranks from 1, ties sharing their mean rank. */
export function ranks(values: ArrayLike<number>): Float64Array {
  const order = Array.from({ length: values.length }, (_, i) => i).sort((x, y) => values[x]! - values[y]!);
  const out = new Float64Array(values.length);
  for (let begin = 0; begin < order.length;) {
    let end = begin;
    while (end < order.length && values[order[end]!] === values[order[begin]!]) end++;
    for (let k = begin; k < end; k++) out[order[k]!] = (begin + end + 1) / 2;
    begin = end;
  }
  return out;
}

/** Spearman's ρ: the correlation of ranks; null where one side doesn't vary. */
export function spearman(left: ArrayLike<number>, right: ArrayLike<number>): number | null {
  return pearson(ranks(left), ranks(right));
}

/** Kendall's τ-b; null where one side doesn't vary. */
export function kendall(left: ArrayLike<number>, right: ArrayLike<number>): number | null {
  let agreement = 0;
  let leftPairs = 0;
  let rightPairs = 0;
  for (let i = 0; i < left.length; i++)
    for (let j = i + 1; j < left.length; j++) {
      const x = Math.sign(left[i]! - left[j]!);
      const y = Math.sign(right[i]! - right[j]!);
      agreement += x * y;
      leftPairs += x * x;
      rightPairs += y * y;
    }
  return leftPairs > 0 && rightPairs > 0 ? agreement / Math.sqrt(leftPairs * rightPairs) : null;
}

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
