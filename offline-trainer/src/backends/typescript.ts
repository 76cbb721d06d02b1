import type { CalibrationBackend, CodedResponses, Objective, Parameters } from "../calibrate/types.ts";

/** The reference backend: float64, no dependency, as plain as it can be and still fast. */
export const typescriptBackend: CalibrationBackend = {
  name: "typescript",
  precision: "float64",
  open: (responses, dims) => Promise.resolve(objective(responses, dims)),
};

function objective({ subjects, items, signs }: CodedResponses, dims: number): Objective {
  const evaluate = ({ theta, a, b }: Parameters, gradient: Parameters): number => {
    gradient.theta.fill(0);
    gradient.a.fill(0);
    gradient.b.fill(0);
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
        gradient.b[i] = gradient.b[i]! + slope;
        for (let d = 0; d < dims; d++) {
          gradient.a[at + d] = gradient.a[at + d]! - slope * row[d]!;
          rowGradient[d] = rowGradient[d]! - slope * a[at + d]!;
        }
      }
      for (let d = 0; d < dims; d++) gradient.theta[m * dims + d] = rowGradient[d]!;
    }
    return value;
  };
  return {
    evaluate: (at, gradient) => Promise.resolve(evaluate(at, gradient)),
    dispose: () => Promise.resolve(),
  };
}
