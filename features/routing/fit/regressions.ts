import { linearPrediction } from "anchoreval/internal/core/numeric/linear-mean";
import { meanChance, possibleChance } from "anchoreval/internal/features/routing/core/predict-chances";
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
