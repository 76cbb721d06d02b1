import { leadingComponents } from "./leading-components.ts";

/** Values of some items at some points, less each item's mean over the points. */
export interface CentredCurves {
  /** By point, each with a value an item. */
  readonly values: readonly Float64Array[];
  /** The items' means. */
  readonly average: Float64Array;
}

/** Items on the leading components of their curves. */
export interface CurveComponents {
  readonly rank: number;
  /** By set of curves, count×rank, item-major: products of two items' loadings are the covariances of their curves. */
  readonly loadings: readonly Float64Array[];
  /** By set, what the components leave of every item's variance over the points, at least 0. */
  readonly left: readonly Float64Array[];
}

/** @param values - by point; overwritten */
export function centredCurves(values: readonly Float64Array[]): CentredCurves {
  const average = new Float64Array(values[0]!.length);
  for (const own of values) for (let i = 0; i < average.length; i++) average[i]! += own[i]! / values.length;
  for (const own of values) for (let i = 0; i < average.length; i++) own[i]! -= average[i]!;
  return { values, average };
}

/**
 * The leading principal components of some sets of curves at the same points, each set counting the same.
 * @param options - as of {@link leadingComponents}
 */
export function curveComponents(
  sets: readonly CentredCurves[],
  options: { readonly leftOut: number; readonly most: number },
): CurveComponents {
  const size = sets[0]!.values.length;
  const { rank, vectors } = leadingComponents(meanGram(sets, size), size, options);
  const projected = sets.map((curves) => projectedOn(curves, vectors, rank));
  return { rank, loadings: projected.map(({ loadings }) => loadings), left: projected.map(({ left }) => left) };
}

/** Mean over sets of their items' mean product of the values at two points. */
function meanGram(sets: readonly CentredCurves[], size: number): Float64Array {
  const gram = new Float64Array(size * size);
  for (const { values, average } of sets)
    for (let r = 0; r < size; r++)
      for (let c = 0; c <= r; c++) {
        let sum = 0;
        for (let i = 0; i < average.length; i++) sum += values[r]![i]! * values[c]![i]!;
        gram[r * size + c] = gram[c * size + r] = gram[r * size + c]! + sum / (average.length * sets.length);
      }
  return gram;
}

function projectedOn(
  { values, average }: CentredCurves,
  vectors: Float64Array,
  rank: number,
): { loadings: Float64Array; left: Float64Array } {
  const size = values.length;
  const loadings = new Float64Array(average.length * rank);
  const left = new Float64Array(average.length);
  for (let i = 0; i < average.length; i++) {
    let rest = 0;
    for (let m = 0; m < size; m++) rest += values[m]![i]! ** 2 / size;
    for (let r = 0; r < rank; r++) {
      let loading = 0;
      for (let m = 0; m < size; m++) loading += vectors[r * size + m]! * values[m]![i]!;
      loading /= Math.sqrt(size);
      loadings[i * rank + r] = loading;
      rest -= loading * loading;
    }
    left[i] = Math.max(0, rest);
  }
  return { loadings, left };
}
