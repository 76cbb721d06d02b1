import type { CalibrationBackend, Objective, Parameters } from "../calibrate/types.ts";
import type { CodedResponses } from "../matrix/code-responses.ts";

/** The reference backend: float64, no dependency, as plain as it can be and still fast. */
export const typescriptBackend: CalibrationBackend = {
  name: "typescript",
  precision: "float64",
  open: (responses, dims) => {
    const evaluate = evaluation(responses, dims);
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

function evaluation({ subjects, items, signs }: CodedResponses, dims: number): Evaluate {
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
