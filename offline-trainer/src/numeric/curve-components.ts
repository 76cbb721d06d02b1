import { leadingComponents } from "./eigen.ts";

/** Values of some items at some points, less each item's mean over the points. @param values - by point; overwritten */
export function centredCurves(values: readonly Float64Array[]) {
  const average = new Float64Array(values[0]!.length);
  for (const curve of values) for (let i = 0; i < average.length; i++) average[i]! += curve[i]! / values.length;
  for (const curve of values) for (let i = 0; i < average.length; i++) curve[i]! -= average[i]!;
  return { values, /** The items' means. */ average };
}

export type CentredCurves = ReturnType<typeof centredCurves>;

/**
 * Items on the leading principal components of some sets of curves at the same points, each set counting the same.
 * @param options - as of {@link leadingComponents}
 */
export function curveComponents(
  sets: readonly CentredCurves[],
  options: { readonly leftOut: number; readonly most: number },
) {
  const size = sets[0]!.values.length;
  const { rank, vectors } = leadingComponents(meanGram(sets, size), size, options);
  const projected = sets.map((curves) => projectedOn(curves, vectors, rank));
  return {
    rank,
    /** By set of curves, count×rank, item-major: products of two items' loadings are the covariances of their curves. */
    loadings: projected.map(({ loadings }) => loadings),
    /** By set, what the components leave of every item's variance over the points, at least 0. */
    left: projected.map(({ left }) => left),
  };
}

/** Mean over sets of their items' mean product of the values at two points. */
function meanGram(sets: readonly CentredCurves[], size: number): Float64Array {
  const gram = new Float64Array(size * size);
  const products = new Float64Array(4);
  for (const { values, average } of sets)
    for (let r = 0; r < size; r++)
      for (let c = 0; c <= r; c += 4) {
        multiply(values[r]!, values, c, products);
        for (let k = 0; k < 4 && c + k <= r; k++) {
          const at = r * size + c + k;
          gram[at] = gram[(c + k) * size + r] = gram[at]! + products[k]! / (average.length * sets.length);
        }
      }
  return gram;
}

/** Products of one curve with four from `begin` on, the last one again where there are no more. */
function multiply(row: Float64Array, others: readonly Float64Array[], begin: number, products: Float64Array): void {
  const other = (k: number): Float64Array => others[Math.min(begin + k, others.length - 1)]!;
  const [a, b, c, d] = [other(0), other(1), other(2), other(3)];
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!;
    first += value * a[i]!;
    second += value * b[i]!;
    third += value * c[i]!;
    fourth += value * d[i]!;
  }
  products[0] = first;
  products[1] = second;
  products[2] = third;
  products[3] = fourth;
}

function projectedOn({ values, average }: CentredCurves, vectors: Float64Array, rank: number) {
  const size = values.length;
  const loadings = new Float64Array(average.length * rank);
  const left = new Float64Array(average.length);
  for (const row of values) for (let i = 0; i < row.length; i++) left[i]! += row[i]! ** 2 / size;
  const along = new Float64Array(average.length);
  for (let r = 0; r < rank; r++) {
    combine(values, vectors.subarray(r * size, (r + 1) * size), along);
    for (let i = 0; i < along.length; i++) {
      const loading = along[i]! / Math.sqrt(size);
      loadings[i * rank + r] = loading;
      left[i]! -= loading * loading;
    }
  }
  return { loadings, left: left.map((value) => Math.max(0, value)) };
}

/** Σ weight·curve, four curves at a time: a sum is read and written once for them. */
function combine(values: readonly Float64Array[], weights: Float64Array, sums: Float64Array): void {
  sums.fill(0);
  let m = 0;
  for (; m + 3 < values.length; m += 4) {
    const [a, b, c, d] = [values[m]!, values[m + 1]!, values[m + 2]!, values[m + 3]!];
    const [wa, wb, wc, wd] = [weights[m]!, weights[m + 1]!, weights[m + 2]!, weights[m + 3]!];
    for (let i = 0; i < sums.length; i++) sums[i] = sums[i]! + wa * a[i]! + wb * b[i]! + wc * c[i]! + wd * d[i]!;
  }
  for (; m < values.length; m++) for (let i = 0; i < sums.length; i++) sums[i]! += weights[m]! * values[m]![i]!;
}
