import type { PredictedParameters } from "anchoreval/core";
import { denseRows, unitRows, type SparseRows } from "../numeric/sparse-rows.ts";
import { nearestQuestions, type NearestQuestions } from "./nearest-questions.ts";
import { strided } from "./strided.ts";
import type { QuestionBank } from "./types.ts";

/** How parameters are foretold from neighbours. */
export interface Neighbours {
  /** At least 1, less than the questions with answers. */
  readonly k: number;
  /** By similarity (those below 0 count nothing; plain where none counts), or all the same. */
  readonly weighted: boolean;
}

type Parameters = Pick<QuestionBank, "dims" | "a" | "b">;

/** Item parameters of questions as the means of those of their neighbours. */
export function neighbourMeans(
  { dims, a: slopes, b: intercepts }: Parameters,
  { k, indices, similarities }: NearestQuestions,
  weighted: boolean,
): { readonly a: Float64Array; readonly b: Float64Array } {
  const count = indices.length / k;
  const a = new Float64Array(count * dims);
  const b = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let total = 0;
    if (weighted) for (let j = i * k; j < (i + 1) * k; j++) total += Math.max(0, similarities[j]!);
    for (let j = i * k; j < (i + 1) * k; j++) {
      const weight = total > 0 ? Math.max(0, similarities[j]!) / total : 1 / k;
      const from = indices[j]!;
      b[i] = b[i]! + weight * intercepts[from]!;
      for (let d = 0; d < dims; d++) a[i * dims + d] = a[i * dims + d]! + weight * slopes[from * dims + d]!;
    }
  }
  return { a, b };
}

/**
 * What foretells item parameters as the means of those of the k nearest questions with answers, by cosine of the
 * coordinates; a question whose coordinates are all 0 gets the mean of all. The predictive variance of each parameter is
 * the mean squared error of questions with answers (2000 at most, evenly apart), each foretold by its k nearest others;
 * of a question without coordinates the parameter's variance over all.
 * @param coordinates - of the questions with answers, N×C row-major @param width - C
 * @returns of C coordinates the parameters
 */
export function neighbourPredictor(
  bank: Parameters,
  coordinates: Float64Array,
  width: number,
  { k, weighted }: Neighbours,
): (own: Float64Array) => PredictedParameters {
  const { dims } = bank;
  const rowsOf = (values: Float64Array): SparseRows => unitRows(denseRows(values, values.length / width, width));
  const pool = rowsOf(coordinates);
  const known = strided(pool.count).filter((i) => isPlaced(coordinates.subarray(i * width, (i + 1) * width)));
  const questions = rowsOf(
    Float64Array.from({ length: known.length * width }, (_, at) => {
      const c = at % width;
      return coordinates[known[(at - c) / width]! * width + c]!;
    }),
  );
  const others = neighbourMeans(bank, nearestQuestions(questions, pool, k, { own: known }), weighted);
  const slopes = Array.from({ length: dims }, (_, d) => bank.b.map((_, i) => bank.a[i * dims + d]!));
  const errors = (values: Float64Array, foretold: (i: number) => number): number =>
    known.reduce((sum, row, i) => sum + (values[row]! - foretold(i)) ** 2, 0) / known.length;
  const near = {
    aVariance: Float64Array.from(slopes, (own, d) => errors(own, (i) => others.a[i * dims + d]!)),
    bVariance: errors(bank.b, (i) => others.b[i]!),
  };
  const anywhere = {
    a: Float64Array.from(slopes, mean),
    b: mean(bank.b),
    aVariance: Float64Array.from(slopes, variance),
    bVariance: variance(bank.b),
  };
  return (own) => {
    if (known.length === 0 || !isPlaced(own)) return anywhere;
    const { a, b } = neighbourMeans(bank, nearestQuestions(rowsOf(own), pool, k), weighted);
    return { a, b: b[0]!, ...near };
  };
}

function isPlaced(coordinates: Float64Array): boolean {
  return coordinates.some((x) => x !== 0);
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function variance(values: Float64Array): number {
  const center = mean(values);
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / values.length;
}
