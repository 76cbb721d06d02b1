import type { CalibrationBackend, Objective, Parameters } from "../calibrate/types.ts";
import type { CodedResponses, GradedResponses } from "../matrix/code-responses.ts";

/** The reference backend: float64, no dependency, as plain as it can be and still fast. */
export const typescriptBackend: CalibrationBackend = {
  name: "typescript",
  precision: "float64",
  open: (responses, dims) => {
    const evaluate = "signs" in responses ? coded(responses, dims) : graded(responses, dims);
    return Promise.resolve({
      evaluate: (at, gradient) => {
        for (const part of [gradient.theta, gradient.a, gradient.b]) part.fill(0);
        return Promise.resolve(evaluate(at, gradient));
      },
      dispose: () => Promise.resolve(),
    } satisfies Objective);
  },
};

/** Adds to a gradient of zeros. */
type Evaluate = (at: Parameters, gradient: Parameters) => number;

function coded({ subjects, items, signs }: CodedResponses, dims: number): Evaluate {
  return ({ theta, a, b }, gradient) => {
    const row = new Float64Array(dims);
    const rowGradient = new Float64Array(dims);
    let value = 0;
    for (let m = 0; m < subjects; m++) {
      for (let d = 0; d < dims; d++) row[d] = theta[m * dims + d]!;
      rowGradient.fill(0);
      const cells = m * items;
      for (let i = 0, at = 0; i < items; i++, at += dims) {
        const sign = signs[cells + i]!;
        if (sign === 0) continue;
        let z = -b[i]!;
        for (let d = 0; d < dims; d++) z += a[at + d]! * row[d]!;
        // u is the logit of what was observed; e = exp(−|u|) serves value and slope.
        const u = sign * z;
        const e = Math.exp(u > 0 ? -u : u);
        value += (u > 0 ? 0 : -u) + Math.log1p(e);
        const slope = (sign * (u > 0 ? e : 1)) / (1 + e); // −∂value/∂z = sign·(1 − σ(u))
        gradient.b[i]! += slope;
        for (let d = 0; d < dims; d++) {
          gradient.a[at + d]! -= slope * row[d]!;
          rowGradient[d]! -= slope * a[at + d]!;
        }
      }
      for (let d = 0; d < dims; d++) gradient.theta[m * dims + d] = rowGradient[d]!;
    }
    return value;
  };
}

function graded({ subjects, items, scores, weights, link }: GradedResponses, dims: number): Evaluate {
  return ({ theta, a, b }, gradient) => {
    let value = 0;
    for (let m = 0; m < subjects; m++)
      for (let i = 0; i < items; i++) {
        const weight = weights[m * items + i]!;
        if (weight === 0) continue;
        const score = scores[m * items + i]!;
        let z = -b[i]!;
        for (let d = 0; d < dims; d++) z += a[i * dims + d]! * theta[m * dims + d]!;
        const e = Math.exp(-Math.abs(z));
        const p = (z > 0 ? 1 : e) / (1 + e);
        const gap = p - score;
        value += weight * (link === "bernoulli" ? Math.max(z, 0) + Math.log1p(e) - score * z : 0.5 * gap * gap);
        const slope = weight * gap * (link === "bernoulli" ? 1 : e / (1 + e) ** 2); // ∂value/∂z; e/(1+e)² = P(1−P)
        gradient.b[i]! -= slope;
        for (let d = 0; d < dims; d++) {
          gradient.a[i * dims + d]! += slope * theta[m * dims + d]!;
          gradient.theta[m * dims + d]! += slope * a[i * dims + d]!;
        }
      }
    return value;
  };
}
