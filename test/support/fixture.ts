import { readFileSync } from "node:fs";
import { itemBank, type ItemBank } from "anchoreval/internal/core/irt/item-bank";

/** A file of reference numbers: its generator stands beside it, and it carries its own tolerances. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller says what the file holds
export function readFixture<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(`../fixtures/${path}`, import.meta.url), "utf8")) as T;
}

/** Item parameters as fixtures write them. */
export interface FixtureItems {
  readonly dims: number;
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly lower: readonly number[] | null;
  readonly upper: readonly number[] | null;
}

export function bankOf(items: FixtureItems): ItemBank {
  return itemBank(Float64Array.from(items.a), Float64Array.from(items.b), {
    lower: items.lower && Float64Array.from(items.lower),
    upper: items.upper && Float64Array.from(items.upper),
  });
}

/** |actual − expected| over |expected|, 0 where both are 0. */
export function relativeError(actual: number, expected: number): number {
  return actual === expected ? 0 : Math.abs(actual - expected) / Math.abs(expected);
}

/** Largest absolute difference of two sequences of the same length; infinite where lengths differ or a value is NaN. */
export function largestDifference(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Infinity;
  let largest = 0;
  for (let i = 0; i < actual.length; i++) {
    const difference = Math.abs(actual[i]! - expected[i]!);
    if (!(difference <= largest)) largest = Number.isNaN(difference) ? Infinity : difference;
  }
  return largest;
}
