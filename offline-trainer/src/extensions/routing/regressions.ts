import { type LinearModel, linearPrediction, meanChance, possibleChance } from "anchoreval/core";
import { onAxes, type PrincipalAxes } from "../../spectral/principal-axes.ts";
import { ridgePredictions, ridgeVariances, spectralRidge } from "../../spectral/spectral-ridge.ts";
import { symmetricEigen } from "../../spectral/symmetric-eigen.ts";
import type { QuestionFeatures } from "../../spectral/text-features.ts";
import type { Forecast, QuestionBank } from "./questions.ts";

/**
 * Item parameters by ridge regression on the features' axes: b and each a_d by itself, with its own penalty. Errors of
 * parameters are taken as independent: Var z = Var b + Σ_d θ_d²·Var a_d.
 */
export function parameterForecast(bank: QuestionBank, axes: PrincipalAxes, { test }: QuestionFeatures): Forecast {
  const { models, dims, theta } = bank;
  const at = onAxes(test, axes);
  const train = axes.left.map((own, k) => own * axes.singular[k % axes.rank]!);
  const count = { train: bank.b.length, test: test.count };
  const a = { train: new Float64Array(count.train * dims), test: new Float64Array(count.test * dims) };
  const b = { train: new Float64Array(count.train), test: new Float64Array(count.test) };
  const variance = { train: new Float64Array(count.train * models), test: new Float64Array(count.test * models) };
  for (let parameter = 0; parameter <= dims; parameter++) {
    const slope = parameter < dims;
    const ridge = spectralRidge(axes, slope ? bank.b.map((_, i) => bank.a[i * dims + parameter]!) : bank.b);
    const predicted = { train: ridge.leftOut, test: ridgePredictions(ridge, at, count.test) };
    const spread = {
      train: ridgeVariances(ridge, train, count.train),
      test: ridgeVariances(ridge, at, count.test),
    };
    for (const part of ["train", "test"] as const)
      for (let i = 0; i < count[part]; i++) {
        if (slope) a[part][i * dims + parameter] = predicted[part][i]!;
        else b[part][i] = predicted[part][i]!;
        for (let m = 0; m < models; m++) {
          const weight = slope ? theta[m * dims + parameter]! ** 2 : 1;
          variance[part][i * models + m] = variance[part][i * models + m]! + weight * spread[part][i]!;
        }
      }
  }
  return {
    leftOut: parameterCurves(bank, a.train, b.train, variance.train),
    test: parameterCurves(bank, a.test, b.test, variance.test),
    logitVariance: variance.test,
  };
}

/** Answers straight from the features ({@link answerRegressions}), kept away from 0 and 1. */
export function answerForecast(bank: QuestionBank, axes: PrincipalAxes, { test }: QuestionFeatures): Forecast {
  const { models, leftOut } = answerRegressions(bank, axes);
  const at = onAxes(test, axes);
  const { rank } = axes;
  return {
    leftOut: leftOut.map(possibleChance),
    test: Float64Array.from({ length: test.count * models.length }, (_, k) => {
      const m = k % models.length;
      const i = (k - m) / models.length;
      return possibleChance(linearPrediction(models[m]!, at.subarray(i * rank, (i + 1) * rank)));
    }),
    logitVariance: null,
  };
}

/** Every model's chance of a right answer as a linear function of a question's place on some axes. */
interface AnswerRegressions {
  /** By model. */
  readonly models: readonly Pick<LinearModel, "mean" | "coefficients">[];
  /** What each train question is predicted by the others, `[i·M + m]`; may lie outside of [0,1]. */
  readonly leftOut: Float64Array;
}

/**
 * Answers straight from the features, without item parameters. The M answers to a question are taken apart into what all
 * models share, y·1/√M, and M − 1 contrasts, the principal axes of the rest; each is regressed by itself with its own
 * penalty, and a contrast that leaving one out can't foretell is left at its mean (λ = ∞). So a model that is the best
 * on the whole stays it where the text says nothing of who else is.
 * A missing answer is filled in by the bank's probability.
 */
export function answerRegressions(bank: QuestionBank, axes: PrincipalAxes): AnswerRegressions {
  const { models } = bank;
  const filled = filledAnswers(bank);
  const contrasts = contrastsOf(filled, models);
  const leftOut = new Float64Array(filled.length);
  const own = Array.from({ length: models }, () => ({ mean: 0, coefficients: new Float64Array(axes.rank) }));
  for (let c = 0; c < models; c++) {
    const contrast = contrasts.subarray(c * models, (c + 1) * models);
    const targets = new Float64Array(filled.length / models);
    for (let k = 0; k < filled.length; k++) {
      const i = Math.floor(k / models);
      targets[i] = targets[i]! + filled[k]! * contrast[k % models]!;
    }
    const ridge = spectralRidge(axes, targets);
    for (let k = 0; k < leftOut.length; k++)
      leftOut[k] = leftOut[k]! + ridge.leftOut[Math.floor(k / models)]! * contrast[k % models]!;
    own.forEach((model, m) => {
      model.mean += contrast[m]! * ridge.mean;
      for (let k = 0; k < axes.rank; k++)
        model.coefficients[k] = model.coefficients[k]! + contrast[m]! * ridge.coefficients[k]!;
    });
  }
  return { models: own, leftOut };
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

/**
 * Every model's chance of a right answer to questions with some parameters, σ(a·θ − b); with a variance of the logit
 * that of the mean over it ({@link meanChance}).
 * @param a - discriminations, count×D row-major @param b - intercepts
 * @param variances - of the logits, `[i·M + m]`, or null
 * @returns `[i·M + m]`
 */
export function parameterCurves(
  { models, dims, theta }: QuestionBank,
  a: Float64Array,
  b: Float64Array,
  variances: Float64Array | null,
): Float64Array {
  return Float64Array.from({ length: b.length * models }, (_, at) => {
    const m = at % models;
    const i = (at - m) / models;
    let z = -b[i]!;
    for (let d = 0; d < dims; d++) z += a[i * dims + d]! * theta[m * dims + d]!;
    return meanChance(z, variances === null ? 0 : variances[at]!);
  });
}
