import type { LinearModel } from "anchoreval/core";
import { symmetricEigen } from "../numeric/eigen.ts";
import { parameterCurves } from "./parameter-curves.ts";
import type { PrincipalAxes } from "../numeric/principal-axes.ts";
import { spectralRidge } from "../numeric/ridge.ts";
import type { QuestionBank } from "./types.ts";

/** Every model's chance of a right answer as a linear function of a question's place on some axes. */
export interface AnswerRegressions {
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
