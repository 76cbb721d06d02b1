import type { AnsweredSample } from "../estimators/types.ts";
import { studentTQuantile } from "../numeric/student-t.ts";
import { wilsonInterval } from "./wilson-interval.ts";

/** Weight of the binomial variance, in degrees of freedom, that the residuals' variance is shrunk toward. */
const BINOMIAL_DEGREES = 2;

/**
 * Design-based interval of a corrected mean: right by the draw of the anchors, whatever the response model is.
 *
 * Variance: with linearised residuals z_i = m_i(e_i − ē)·√(1−π_i) in the anchors' order,
 * V = n/(2(n−1))·Σ(z_i − z_{i+1})² (collapsed neighbouring strata, finite population), ν ≈ 2(n−1)²/(3n−4) degrees
 * of freedom. It is shrunk, with the weight of {@link BINOMIAL_DEGREES}, toward the variance without a model,
 * ŝ(1−ŝ)·Σm²(1−π) at ŝ = (n·estimate + 1)/(n + 2), so that a short run of right predictions isn't mistaken for
 * certainty. A variance that rests on few events is known to about two degrees of freedom an event, so V's weight is
 * min(ν, 2·min(right, wrong)) of the answers. The interval is Wilson's at the effective sample size ŝ(1−ŝ)/V with
 * Student's t, so that it keeps its coverage near 0 and 1; answers that are all wrong never rule out 0, nor all right 1.
 * @param estimate - the estimated score, in [0,1]
 * @param residuals - leave-one-out residuals y − p̂ of the answered anchors, in their order
 * @param level - confidence level in (0,1)
 * @returns null for fewer than two answers of a sample, or for a purposive choice of anchors
 * @see Wolter (2007), Introduction to Variance Estimation, ch. 8; Särndal, Swensson & Wretman (1992)
 */
export function designInterval(
  estimate: number,
  sample: AnsweredSample,
  residuals: Float64Array,
  level: number,
): { low: number; high: number } | null {
  const { mass, inclusion } = sample;
  if (inclusion === null) return null;
  let mean = 0;
  for (let j = 0; j < residuals.length; j++) mean += mass[j]! * residuals[j]!;
  let n = 0;
  let right = 0;
  let previous = 0;
  let squares = 0;
  let own = 0;
  for (let j = 0; j < residuals.length; j++) {
    const open = 1 - inclusion[j]!;
    if (open <= 1e-12) continue; // an item that is always asked adds no sampling error
    const z = mass[j]! * (residuals[j]! - mean) * Math.sqrt(open);
    if (n > 0) squares += (z - previous) ** 2;
    previous = z;
    own += mass[j]! ** 2 * open;
    right += sample.scores[j]!;
    n++;
  }
  if (n === 0) return { low: estimate, high: estimate };
  if (n === 1) return null;
  const variance = (n / (2 * (n - 1))) * squares;
  const degrees = (2 * (n - 1) ** 2) / (3 * n - 4);
  const shrunk = (estimate * n + 1) / (n + 2);
  const binomial = shrunk * (1 - shrunk) * own;
  const known = Math.min(degrees, 2 * Math.min(right, n - right));
  const pooled = (known * variance + BINOMIAL_DEGREES * binomial) / (known + BINOMIAL_DEGREES);
  const t = studentTQuantile(0.5 + level / 2, degrees + BINOMIAL_DEGREES);
  const { low, high } = wilsonInterval(estimate, (shrunk * (1 - shrunk)) / pooled, t);
  return { low: right === 0 ? 0 : low, high: right === n ? 1 : high };
}
