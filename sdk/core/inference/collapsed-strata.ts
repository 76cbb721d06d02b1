import type { AnsweredSample } from "../estimators/types.ts";

/** Variance of a weighted sum over anchors that were drawn one a stratum. */
export interface CollapsedVariance {
  /** n/(2(n−1))·Σ(z_j − z_{j+1})². */
  readonly variance: number;
  /** ν = 2(n−1)²/(3n−4). */
  readonly degrees: number;
  /** Σ m²(1−π): the variance were every value's 1. */
  readonly unit: number;
  /** Positions of the values that were drawn, n ≥ 2: those that are always asked add no sampling error. */
  readonly drawn: readonly number[];
}

/**
 * Variance of Σ m·e by the draw of the anchors: with z_j = m_j·e_j·√(1−π_j) in the anchors' order, neighbouring
 * strata collapsed and the population finite.
 * @param values - e of every answered anchor, in their order; {@link centred} where the sum is a mean, Σm = 1 for any draw
 * @param inclusion - π of every answered anchor
 * @returns "none" where nothing was drawn; null for a single drawn anchor
 * @see Wolter (2007), Introduction to Variance Estimation, ch. 8
 */
export function collapsedVariance(
  values: ArrayLike<number>,
  mass: AnsweredSample["mass"],
  inclusion: Float64Array,
): CollapsedVariance | "none" | null {
  const drawn: number[] = [];
  let previous = 0;
  let squares = 0;
  let unit = 0;
  for (let j = 0; j < values.length; j++) {
    const open = 1 - inclusion[j]!;
    if (open <= 1e-12) continue; // always asked
    const z = mass[j]! * values[j]! * Math.sqrt(open);
    if (drawn.length > 0) squares += (z - previous) ** 2;
    previous = z;
    unit += mass[j]! ** 2 * open;
    drawn.push(j);
  }
  const n = drawn.length;
  if (n === 0) return "none";
  if (n === 1) return null;
  return { variance: (n / (2 * (n - 1))) * squares, degrees: collapsedDegrees(n), unit, drawn };
}

/** ν = 2(n−1)²/(3n−4) of n ≥ 2 collapsed strata. */
export function collapsedDegrees(n: number): number {
  return (2 * (n - 1) ** 2) / (3 * n - 4);
}

/** e − Σm·e: what a mean's error by the draw rests on, where the masses m always sum to 1. */
export function centred(values: ArrayLike<number>, mass: AnsweredSample["mass"]): Float64Array {
  let mean = 0;
  for (let j = 0; j < values.length; j++) mean += mass[j]! * values[j]!;
  return Float64Array.from(values, (value) => value - mean);
}
