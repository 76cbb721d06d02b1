import { meanChance } from "anchoreval/core";
import type { QuestionBank } from "./types.ts";

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
