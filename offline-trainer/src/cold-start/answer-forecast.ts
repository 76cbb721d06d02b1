import { symmetricEigen } from "../spectral/symmetric-eigen.ts";
import { parameterCurves } from "./parameter-curves.ts";
import { onAxes, type PrincipalAxes } from "../spectral/principal-axes.ts";
import { ridgePredictions, spectralRidge } from "../spectral/spectral-ridge.ts";
import type { QuestionFeatures } from "./text-features.ts";
import type { Forecast, QuestionBank } from "./types.ts";

/** Linear predictions are kept this far from 0 and 1. */
const MARGIN = 0.01;

/**
 * Answers straight from the features, without item parameters. The M answers to a question are taken apart into what all
 * models share, y·1/√M, and M − 1 contrasts, the principal axes of the rest; each is regressed by itself with its own
 * penalty, and a contrast that leaving one out can't foretell is left at its mean (λ = ∞). So a model that is the best
 * on the whole stays it where the text says nothing of who else is.
 * A missing answer is filled in by the bank's probability.
 */
export function answerForecast(bank: QuestionBank, axes: PrincipalAxes, { test }: QuestionFeatures): Forecast {
  const { models } = bank;
  const filled = filledAnswers(bank);
  const count = filled.length / models;
  const contrasts = contrastsOf(filled, models);
  const at = onAxes(test, axes);
  const leftOut = new Float64Array(filled.length);
  const predicted = new Float64Array(test.count * models);
  for (let c = 0; c < models; c++) {
    const contrast = contrasts.subarray(c * models, (c + 1) * models);
    const targets = new Float64Array(count);
    for (let k = 0; k < filled.length; k++) {
      const i = Math.floor(k / models);
      targets[i] = targets[i]! + filled[k]! * contrast[k % models]!;
    }
    const ridge = spectralRidge(axes, targets);
    const own = ridgePredictions(ridge, at, test.count);
    for (let k = 0; k < leftOut.length; k++)
      leftOut[k] = leftOut[k]! + ridge.leftOut[Math.floor(k / models)]! * contrast[k % models]!;
    for (let k = 0; k < predicted.length; k++)
      predicted[k] = predicted[k]! + own[Math.floor(k / models)]! * contrast[k % models]!;
  }
  const probability = (value: number): number => Math.min(1 - MARGIN, Math.max(MARGIN, value));
  return { leftOut: leftOut.map(probability), test: predicted.map(probability), logitVariance: null };
}

function filledAnswers(bank: QuestionBank): Float64Array {
  if (!bank.answers.some(Number.isNaN)) return bank.answers;
  const fitted = parameterCurves(bank, bank.a, bank.b, null);
  return bank.answers.map((answer, at) => (Number.isNaN(answer) ? fitted[at]! : answer));
}

/** An orthonormal basis of the models: 1/√M, then the principal axes of the answers' deviations from their mean. */
function contrastsOf(answers: Float64Array, models: number): Float64Array {
  const count = answers.length / models;
  const means = new Float64Array(models);
  const deviations = new Float64Array(answers.length);
  for (let i = 0; i < count; i++) {
    let level = 0;
    for (let m = 0; m < models; m++) level += answers[i * models + m]! / models;
    for (let m = 0; m < models; m++) {
      const own = answers[i * models + m]! - level;
      deviations[i * models + m] = own;
      means[m] = means[m]! + own / count;
    }
  }
  const covariance = new Float64Array(models * models);
  for (let i = 0; i < count; i++)
    for (let r = 0; r < models; r++)
      for (let c = 0; c < models; c++)
        covariance[r * models + c] =
          covariance[r * models + c]! +
          ((deviations[i * models + r]! - means[r]!) * (deviations[i * models + c]! - means[c]!)) / count;
  // What models share is in no deviation; this puts it first, ahead of variances that are at most 1 each.
  for (let at = 0; at < covariance.length; at++) covariance[at] = covariance[at]! + 2;
  return symmetricEigen(covariance, models).vectors;
}
