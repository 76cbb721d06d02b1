import { linearPrediction } from "anchoreval/internal/core/numeric/linear-mean";
import {
  meanChance,
  possibleChance,
  type PredictedParameters,
} from "anchoreval/internal/features/routing/core/predict-chances";
import {
  onAxes,
  ownPlaces,
  type PrincipalAxes,
  ridgePredictions,
  ridgeVariances,
  spectralRidge,
  type SpectralRidge,
} from "../../../offline-trainer/src/numeric/principal-axes.ts";
import { symmetricEigen } from "../../../offline-trainer/src/numeric/eigen.ts";
import type { QuestionFeatures } from "../../../offline-trainer/src/numeric/text-features.ts";
import { parameterColumns, type Forecast, type QuestionBank } from "./questions.ts";
import { mean, variance } from "../../../offline-trainer/src/numeric/statistics.ts";
import { denseRows, transposed, unitRows, type SparseRows } from "../../../offline-trainer/src/numeric/sparse-rows.ts";

/** Principal axes of the features or coordinates that regressions use. */
export const REGRESSION_AXES = 100;

/**
 * Every model's chance of a right answer to questions with the given item parameters, σ(a·θ − b); with predictive variances
 * the mean over the logit's distribution ({@link meanChance}). Errors of parameters are taken as independent:
 * Var z = Var b + Σ_d θ_d²·Var a_d.
 * @param parameters - by parameter: the D discriminations, then the intercept ({@link parameterColumns})
 * @param parameterVariances - likewise, or null
 * @returns chances, and variances of the logits, `[i·M + m]`
 */
export function parameterChances(
  { models, dims, theta }: QuestionBank,
  parameters: readonly Float64Array[],
  parameterVariances: readonly Float64Array[] | null,
) {
  const count = parameters[dims]!.length;
  const chances = new Float64Array(count * models);
  const variances = new Float64Array(count * models);
  for (let i = 0, at = 0; i < count; i++)
    for (let m = 0; m < models; m++, at++) {
      let z = -parameters[dims]![i]!;
      for (let d = 0; d < dims; d++) z += parameters[d]![i]! * theta[m * dims + d]!;
      if (parameterVariances) {
        let variance = parameterVariances[dims]![i]!;
        for (let d = 0; d < dims; d++) variance += theta[m * dims + d]! ** 2 * parameterVariances[d]![i]!;
        variances[at] = variance;
      }
      chances[at] = meanChance(z, variances[at]!);
    }
  return { chances, variances };
}

/** Ridge regressions on the features' axes: one of each discrimination, then one of the intercept, each with its own penalty. */
export function parameterRidges(bank: QuestionBank, axes: PrincipalAxes): SpectralRidge[] {
  return parameterColumns(bank).map((values) => spectralRidge(axes, values));
}

/** Item parameters by ridge regression ({@link parameterRidges}). */
export function parameterForecast(bank: QuestionBank, axes: PrincipalAxes, { test }: QuestionFeatures): Forecast {
  const ridges = parameterRidges(bank, axes);
  const chancesAt = (places: Float64Array, parameters: Float64Array[]) => {
    const variances = ridges.map((ridge) => ridgeVariances(ridge, places, parameters[0]!.length));
    return parameterChances(bank, parameters, variances);
  };
  const leftOut = ridges.map((ridge) => ridge.leftOut);
  const places = onAxes(test, axes);
  const parameters = ridges.map((ridge) => ridgePredictions(ridge, places, test.count));
  const { chances, variances } = chancesAt(places, parameters);
  return { leftOut: chancesAt(ownPlaces(axes), leftOut).chances, test: chances, logitVariance: variances };
}

/**
 * Answers directly from the features, without item parameters: every model's chance of a right answer is a linear function
 * of a question's place on some axes. The M answers to a question are decomposed into the part
 * that all models share, y·1/√M, and M − 1 contrasts, the principal axes of the rest; each is regressed separately with its
 * own penalty, and a contrast that leave-one-out can't predict stays at its mean (λ = ∞). So the model that is best overall
 * remains best where the text says nothing about who else is.
 * A missing answer is filled in with the bank's probability.
 */
export function answerRegressions(bank: QuestionBank, axes: PrincipalAxes) {
  const { models: width } = bank;
  const filled = filledAnswers(bank);
  const contrasts = contrastBasis(filled, width);
  const leftOut = new Float64Array(filled.length);
  const models = Array.from({ length: width }, () => ({ mean: 0, coefficients: new Float64Array(axes.rank) }));
  for (let c = 0; c < width; c++) {
    const contrast = contrasts.subarray(c * width, (c + 1) * width);
    const targets = new Float64Array(filled.length / width);
    for (let k = 0; k < filled.length; k++) targets[Math.floor(k / width)]! += filled[k]! * contrast[k % width]!;
    const ridge = spectralRidge(axes, targets);
    for (let k = 0; k < leftOut.length; k++)
      leftOut[k]! += ridge.leftOut[Math.floor(k / width)]! * contrast[k % width]!;
    models.forEach((model, m) => {
      model.mean += contrast[m]! * ridge.mean;
      for (let k = 0; k < axes.rank; k++) model.coefficients[k]! += contrast[m]! * ridge.coefficients[k]!;
    });
  }
  /** Prediction of each train question by the others, `[i·M + m]`, kept away from 0 and 1. */
  return { models, leftOut: leftOut.map(possibleChance) };
}

/** Answers directly from the features ({@link answerRegressions}). */
export function answerForecast(bank: QuestionBank, axes: PrincipalAxes, { test }: QuestionFeatures): Forecast {
  const { models, leftOut } = answerRegressions(bank, axes);
  const places = onAxes(test, axes);
  const { rank } = axes;
  return {
    leftOut,
    test: Float64Array.from({ length: test.count * models.length }, (_, at) => {
      const i = Math.floor(at / models.length);
      const place = places.subarray(i * rank, (i + 1) * rank);
      return possibleChance(linearPrediction(models[at % models.length]!, place));
    }),
    logitVariance: null,
  };
}

function filledAnswers(bank: QuestionBank): Float64Array {
  if (!bank.answers.some(Number.isNaN)) return bank.answers;
  const fitted = parameterChances(bank, parameterColumns(bank), null).chances;
  return bank.answers.map((answer, at) => (Number.isNaN(answer) ? fitted[at]! : answer));
}

/** An orthonormal basis of the models: 1/√M, then the principal axes of the answers' deviations from their mean. */
function contrastBasis(answers: Float64Array, models: number): Float64Array {
  const count = answers.length / models;
  const means = new Float64Array(models);
  const deviations = new Float64Array(answers.length);
  for (let i = 0; i < count; i++) {
    let level = 0;
    for (let m = 0; m < models; m++) level += answers[i * models + m]! / models;
    for (let m = 0; m < models; m++) {
      deviations[i * models + m] = answers[i * models + m]! - level;
      means[m]! += deviations[i * models + m]! / count;
    }
  }
  const covariance = new Float64Array(models * models);
  for (let i = 0; i < count; i++)
    for (let r = 0; r < models; r++)
      for (let c = 0; c < models; c++)
        covariance[r * models + c]! +=
          ((deviations[i * models + r]! - means[r]!) * (deviations[i * models + c]! - means[c]!)) / count;
  // The common part is in no deviation; this puts it first, ahead of variances that are at most 1 each.
  for (let at = 0; at < covariance.length; at++) covariance[at]! += 2;
  return symmetricEigen(covariance, models).vectors;
}

/** Default number of neighbours, the seed's. */
export const DEFAULT_NEIGHBOURS = 20;

export interface Neighbours {
  /** At least 1, less than the number of questions with answers. */
  readonly k: number;
  /** Weighted by similarity (negative ones count as 0; equal weights where all are), or equally. */
  readonly weighted: boolean;
}

/**
 * The k rows of a pool with the largest inner products, which are cosines of rows of length 1; the first of equals.
 * @param except - the row of the pool that each question is itself, which isn't its own neighbour
 * @returns rows of the pool, k a question, nearest first, and the cosines of the angles to them, in [−1,1]
 */
export function nearestQuestions(questions: SparseRows, pool: SparseRows, k: number, except?: ArrayLike<number>) {
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
        products[postings.columns[p]!]! += value * postings.values[p]!;
    }
    if (except) products[except[q]!] = -Infinity;
    keepLargest(products, indices.subarray(q * k, (q + 1) * k), similarities.subarray(q * k, (q + 1) * k));
  }
  return { k, indices, similarities };
}

/** Insertion into a short list: most products are below its last. */
function keepLargest(products: Float64Array, indices: Uint32Array, largest: Float64Array): void {
  const k = indices.length;
  largest.fill(-Infinity);
  for (let p = 0; p < products.length; p++) {
    const product = products[p]!;
    if (!(product > largest[k - 1]!)) continue;
    let place = k - 1;
    for (; place > 0 && product > largest[place - 1]!; place--) {
      largest[place] = largest[place - 1]!;
      indices[place] = indices[place - 1]!;
    }
    largest[place] = product;
    indices[place] = p;
  }
}

/** Means of the neighbours' item parameters. @param parameters - by parameter ({@link parameterColumns}) */
function neighbourMeans(
  parameters: readonly Float64Array[],
  { k, indices, similarities }: ReturnType<typeof nearestQuestions>,
  weighted: boolean,
): Float64Array[] {
  const count = indices.length / k;
  const means = parameters.map(() => new Float64Array(count));
  for (let i = 0; i < count; i++) {
    let total = 0;
    if (weighted) for (let j = i * k; j < (i + 1) * k; j++) total += Math.max(0, similarities[j]!);
    for (let j = i * k; j < (i + 1) * k; j++) {
      const weight = total > 0 ? Math.max(0, similarities[j]!) / total : 1 / k;
      parameters.forEach((values, p) => (means[p]![i]! += weight * values[indices[j]!]!));
    }
  }
  return means;
}

/**
 * Item parameters of a question as the mean of those of its k nearest train questions, plain and weighted by similarity.
 * @param k - from 1 to the train questions less one
 */
export function neighbourForecasts(
  bank: QuestionBank,
  { train, test }: QuestionFeatures,
  k: number,
): Readonly<Record<"knn" | "weighted-knn", Forecast>> {
  const others = nearestQuestions(train, train, k, Uint32Array.from(bank.b.keys()));
  const nearest = nearestQuestions(test, train, k);
  const parameters = parameterColumns(bank);
  const forecast = (weighted: boolean): Forecast => {
    const [leftOut, unseen] = [others, nearest].map(
      (similar) => parameterChances(bank, neighbourMeans(parameters, similar, weighted), null).chances,
    ) as [Float64Array, Float64Array];
    return { leftOut, test: unseen, logitVariance: null };
  };
  return { knn: forecast(false), "weighted-knn": forecast(true) };
}

/**
 * Predicts item parameters as the means of those of the k nearest questions with answers, by cosine of the coordinates; a
 * question whose coordinates are all 0 gets the mean of all. The predictive variance of each parameter is the mean squared
 * error of questions with answers (at most 2000, evenly spaced), each predicted by its k nearest others; for a question
 * without coordinates, the parameter's variance over all.
 * @param coordinates - of the questions with answers, N×C row-major @param width - C
 * @returns a function from C coordinates to the parameters
 */
export function neighbourPredictor(
  bank: Pick<QuestionBank, "dims" | "a" | "b">,
  coordinates: Float64Array,
  width: number,
  { k, weighted }: Neighbours,
): (coordinates: Float64Array) => PredictedParameters {
  const toRows = (values: Float64Array): SparseRows => unitRows(denseRows(values, values.length / width, width));
  const rowAt = (i: number): Float64Array => coordinates.subarray(i * width, (i + 1) * width);
  const pool = toRows(coordinates);
  const rows = evenlySpaced(pool.count).filter((i) => rowAt(i).some(Boolean));
  const questions = toRows(Float64Array.from(Array.from(rows, (i) => Array.from(rowAt(i))).flat()));
  const parameters = parameterColumns(bank);
  const leftOut = neighbourMeans(parameters, nearestQuestions(questions, pool, k, rows), weighted);
  const errors = parameters.map(
    (values, p) => rows.reduce((sum, row, i) => sum + (values[row]! - leftOut[p]![i]!) ** 2, 0) / rows.length,
  );
  const means = parameters.map(mean);
  const variances = parameters.map(variance);
  return (place) => {
    if (rows.length === 0 || !place.some(Boolean)) return predicted(means, variances);
    const estimates = neighbourMeans(parameters, nearestQuestions(toRows(place), pool, k), weighted).map(
      (parameter) => parameter[0]!,
    );
    return predicted(estimates, errors);
  };
}

function predicted(values: readonly number[], variances: readonly number[]): PredictedParameters {
  return {
    a: Float64Array.from(values.slice(0, -1)),
    b: values.at(-1)!,
    aVariance: Float64Array.from(variances.slice(0, -1)),
    bVariance: variances.at(-1)!,
  };
}

/** Most questions that scales, errors and figures are measured on: each is predicted by all others. */
const MOST_LEFT_OUT = 2000;

/** At most 2000 indices below `count`, evenly spaced. */
export function evenlySpaced(count: number): Uint32Array {
  const kept = Math.min(count, MOST_LEFT_OUT);
  return Uint32Array.from({ length: kept }, (_, k) => Math.floor((k * count) / kept));
}
