import { cholesky, type FloatArray, type RandomSource } from "anchoreval/core";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import type { PlacedItem } from "./place-item.ts";

/** P = σ(a·θ − b). */
export function chance(theta: FloatArray, a: FloatArray, b: number): number {
  let z = -b;
  for (let d = 0; d < a.length; d++) z += a[d]! * theta[d]!;
  return 1 / (1 + Math.exp(-z));
}

/** Parameters drawn from an item's posterior, N((a, b), C). */
export function drawnParameters(
  { a, b, covariance }: PlacedItem,
  random: RandomSource,
): { a: Float64Array; b: number } {
  const width = a.length + 1;
  const l = cholesky(covariance, width)!;
  const normal = Float64Array.from({ length: width }, () => random.normal());
  const shift = (row: number): number => {
    let sum = 0;
    for (let c = 0; c <= row; c++) sum += l[row * width + c]! * normal[c]!;
    return sum;
  };
  return { a: a.map((own, d) => own + shift(d)), b: b + shift(a.length) };
}

/** Scores of a scenario as its chances make them. */
export interface ScoreSides {
  /** The score that is expected of a chance. */
  readonly expected: (chance: number) => number;
  /** A score from one side of the threshold or the other, expected as it should be. */
  readonly draw: (chance: number, random: RandomSource) => number;
}

/**
 * The scores on both sides of a scenario's threshold, as means of those that were given: 0 and 1 of binary scores.
 * @param threshold - null where chances are expected scores themselves
 */
export function scoreSides(
  matrix: ResponseMatrix,
  { begin, count }: ScenarioSlice,
  threshold: number | null,
): ScoreSides {
  const columns = matrix.items.length;
  const [sum, seen] = [new Float64Array(2), new Float64Array(2)];
  matrix.scores.forEach((score, at) => {
    const item = at % columns;
    if (item < begin || item >= begin + count || (matrix.observed !== null && matrix.observed[at] === 0)) return;
    const side = Number(score > (threshold ?? 0.5));
    sum[side]! += score;
    seen[side]! += 1;
  });
  const [below, above] = [0, 1].map((side) => (seen[side]! > 0 ? sum[side]! / seen[side]! : side)) as [number, number];
  const share = (p: number): number => (threshold === null ? (p - below) / (above - below) : p);
  return {
    expected: (p) => (threshold === null ? p : below + p * (above - below)),
    draw: (p, random) => (random.next() < share(p) ? above : below),
  };
}
