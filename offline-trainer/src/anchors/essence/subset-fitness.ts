import { curveAt, type SmoothCurve } from "../../smoothing/smooth-curve.ts";
import type { ItemColumns } from "./item-columns.ts";

/** What subsets of items are judged by: how far a map of their mean score lies from the full score. */
export interface SubsetFitness {
  /** The judging models' scores. */
  readonly columns: ItemColumns;
  /** Their full scores. */
  readonly full: Float64Array;
  /** From mean score on a subset to full score. */
  readonly map: SmoothCurve;
}

/**
 * Root mean square over the judging models of g(mean) − S.
 * @param sums - each model's sum of scores over the subset, from `begin`
 * @param size - items of the subset
 */
export function subsetError({ full, map }: SubsetFitness, sums: Float64Array, begin: number, size: number): number {
  let squares = 0;
  for (let m = 0; m < full.length; m++) squares += (curveAt(map, sums[begin + m]! / size) - full[m]!) ** 2;
  return Math.sqrt(squares / full.length);
}
