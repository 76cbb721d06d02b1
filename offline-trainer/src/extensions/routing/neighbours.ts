import type { PredictedParameters } from "anchoreval/core";
import { parameterCurves } from "./regressions.ts";
import { denseRows, type SparseRows, transposed, unitRows } from "../../spectral/sparse-rows.ts";
import type { QuestionFeatures } from "../../spectral/text-features.ts";
import type { Forecast, QuestionBank } from "./questions.ts";

/** How parameters are foretold from neighbours. */
export interface Neighbours {
  /** At least 1, less than the questions with answers. */
  readonly k: number;
  /** By similarity (those below 0 count nothing; plain where none counts), or all the same. */
  readonly weighted: boolean;
}

type Parameters = Pick<QuestionBank, "dims" | "a" | "b">;

/** Item parameters of questions as the means of those of their neighbours. */
function neighbourMeans(
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

/**
 * Item parameters of a question as the mean of those of its k nearest train questions: plain, or weighted by similarity
 * (those below 0 count nothing; plain where none counts).
 * @param k - from 1 to the train questions less one
 */
export function neighbourForecasts(
  bank: QuestionBank,
  { train, test }: QuestionFeatures,
  k: number,
): Readonly<Record<"knn" | "weighted-knn", Forecast>> {
  const others = nearestQuestions(train, train, k, { own: Uint32Array.from(bank.b.keys()) });
  const nearest = nearestQuestions(test, train, k);
  const forecast = (weighted: boolean): Forecast => ({
    leftOut: averaged(bank, others, weighted),
    test: averaged(bank, nearest, weighted),
    logitVariance: null,
  });
  return { knn: forecast(false), "weighted-knn": forecast(true) };
}

function averaged(bank: QuestionBank, nearest: NearestQuestions, weighted: boolean): Float64Array {
  const { a, b } = neighbourMeans(bank, nearest, weighted);
  return parameterCurves(bank, a, b, null);
}

/** The k nearest of a pool for each of some questions, nearest first. */
interface NearestQuestions {
  readonly k: number;
  /** Rows of the pool, k a question. */
  readonly indices: Uint32Array;
  /** Cosines of the angles to them, in [−1,1]. */
  readonly similarities: Float64Array;
}

/**
 * The k rows of a pool with the largest inner products, which are cosines of rows of length 1; of equals the first.
 * @param own - the row of the pool that each question is, which isn't its neighbour
 */
export function nearestQuestions(
  questions: SparseRows,
  pool: SparseRows,
  k: number,
  { own }: { readonly own?: ArrayLike<number> } = {},
): NearestQuestions {
  const postings = transposed(pool);
  const indices = new Uint32Array(questions.count * k);
  const similarities = new Float64Array(questions.count * k);
  const products = new Float64Array(pool.count);
  for (let q = 0; q < questions.count; q++) {
    products.fill(0);
    for (let at = questions.starts[q]!; at < questions.starts[q + 1]!; at++) {
      const column = questions.columns[at]!;
      const value = questions.values[at]!;
      for (let p = postings.starts[column]!; p < postings.starts[column + 1]!; p++)
        products[postings.columns[p]!] = products[postings.columns[p]!]! + value * postings.values[p]!;
    }
    if (own) products[own[q]!] = -Infinity;
    keepLargest(products, indices.subarray(q * k, (q + 1) * k), similarities.subarray(q * k, (q + 1) * k));
  }
  return { k, indices, similarities };
}

/** Insertion into a short list: most products are below its last. */
function keepLargest(products: Float64Array, indices: Uint32Array, largest: Float64Array): void {
  const k = indices.length;
  largest.fill(-Infinity);
  for (let p = 0; p < products.length; p++) {
    const own = products[p]!;
    if (!(own > largest[k - 1]!)) continue;
    let place = k - 1;
    for (; place > 0 && own > largest[place - 1]!; place--) {
      largest[place] = largest[place - 1]!;
      indices[place] = indices[place - 1]!;
    }
    largest[place] = own;
    indices[place] = p;
  }
}

/** Questions at most that scales, errors and figures are of: each is foretold by all others. */
const MOST_LEFT_OUT = 2000;

/** At most 2000 indices below `count`, evenly apart. */
export function strided(count: number): Uint32Array {
  const kept = Math.min(count, MOST_LEFT_OUT);
  return Uint32Array.from({ length: kept }, (_, k) => Math.floor((k * count) / kept));
}
