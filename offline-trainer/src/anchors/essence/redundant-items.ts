import type { ItemColumns } from "./item-columns.ts";

/**
 * Items whose scores correlate with those of an earlier item that stays by more than `most` (Pearson): of a group that is
 * answered alike the first one stays.
 * @param candidates - items, in the order of precedence; an item without variance is never redundant
 */
export function redundantItems({ models, scores }: ItemColumns, candidates: readonly number[], most: number): number[] {
  const kept: Float64Array[] = [];
  const redundant: number[] = [];
  for (const item of candidates) {
    const own = standardised(scores.subarray(item * models, (item + 1) * models));
    if (own !== null && kept.some((other) => product(own, other) > most)) redundant.push(item);
    else if (own !== null) kept.push(own);
  }
  return redundant;
}

/** (y − ȳ)/‖y − ȳ‖; null where y doesn't vary. */
function standardised(values: Float64Array): Float64Array | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const norm = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  return norm > 0 ? values.map((value) => (value - mean) / norm) : null;
}

function product(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let m = 0; m < x.length; m++) sum += x[m]! * y[m]!;
  return sum;
}
