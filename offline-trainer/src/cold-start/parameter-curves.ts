import { sigmoid } from "anchoreval/core";
import type { QuestionBank } from "./types.ts";

/**
 * Every model's chance of a right answer to questions with some parameters, σ(a·θ − b); with a variance v of the logit
 * that of the mean over it, near σ(z/√(1 + πv/8)).
 * @param a - discriminations, count×D row-major @param b - intercepts
 * @param variances - of the logits, `[i·M + m]`, or null
 * @returns `[i·M + m]`
 * @see MacKay (1992), Neural Computation 4, 720–736 (the logistic of a normal variable)
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
    return sigmoid(variances === null ? z : z / Math.sqrt(1 + (Math.PI * variances[at]!) / 8));
  });
}
