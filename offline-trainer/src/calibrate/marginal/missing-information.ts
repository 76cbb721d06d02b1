import type { Curves } from "./curves.ts";
import type { Expectation } from "./expectation.ts";
import type { Layout } from "./layout.ts";
import type { Problem } from "./problem.ts";

/**
 * What not knowing the abilities takes from the information about each item, by Louis' identity: Σ_m w·Cov(s_mi | y_m)
 * with s_mi the derivatives of log P(y_mi | θ) in the item's parameters.
 * @returns perItem² for each free item, row-major
 * @see Louis (1982), Journal of the Royal Statistical Society B 44, 226–233
 */
export function missingInformation(problem: Problem, layout: Layout, found: Expectation, curves: Curves): Float64Array {
  const { subjects, items, signs, free, itemWeights, modelWeights } = problem;
  const { perItem, slots } = layout;
  const Q = found.grid.points.length;
  const posteriors: Float64Array[] = [];
  const from = new Int32Array(subjects);
  found.run(curves, (m, weighted, lo, hi) => {
    posteriors[m] = weighted.slice(lo, hi);
    from[m] = lo;
  });
  const out = new Float64Array(free.length * perItem * perItem);
  const right = new Float64Array(perItem * Q);
  const wrong = new Float64Array(perItem * Q);
  const rightMass = new Float64Array(Q);
  const wrongMass = new Float64Array(Q);
  const means = new Float64Array(perItem);
  for (let f = 0; f < free.length; f++) {
    const i = free[f]!;
    const block = f * perItem * perItem;
    const square = itemWeights[i]! ** 2;
    scores(i);
    rightMass.fill(0);
    wrongMass.fill(0);
    for (let m = 0; m < subjects; m++) {
      const sign = signs[m * items + i]!;
      if (sign === 0 || modelWeights[m] === 0) continue;
      const posterior = posteriors[m]!;
      const table = sign > 0 ? right : wrong;
      const mass = sign > 0 ? rightMass : wrongMass;
      const lo = from[m]!;
      for (let q = 0; q < posterior.length; q++) mass[lo + q] = mass[lo + q]! + posterior[q]!;
      for (let p = 0; p < perItem; p++) {
        const at = p * Q + lo;
        let sum = 0;
        for (let q = 0; q < posterior.length; q++) sum += posterior[q]! * table[at + q]!;
        means[p] = sum;
      }
      for (let p = 0; p < perItem; p++)
        for (let r = 0; r < perItem; r++)
          out[block + p * perItem + r] =
            out[block + p * perItem + r]! - (square * means[p]! * means[r]!) / modelWeights[m]!;
    }
    for (let p = 0; p < perItem; p++)
      for (let r = 0; r < perItem; r++) {
        let sum = 0;
        for (let q = found.first; q < found.last; q++)
          sum +=
            rightMass[q]! * right[p * Q + q]! * right[r * Q + q]! +
            wrongMass[q]! * wrong[p * Q + q]! * wrong[r * Q + q]!;
        out[block + p * perItem + r] = out[block + p * perItem + r]! + square * sum;
      }
  }
  return out;

  /** Derivatives of log P and of log Q at every point. */
  function scores(i: number): void {
    const g = curves.g[i]!;
    const k = curves.k[i]!;
    const R = 1 / (1 + g + k);
    for (let q = found.first; q < found.last; q++) {
      const theta = found.grid.points[q]!;
      const z = curves.a[i]! * theta - curves.b[i]!;
      const e = Math.exp(-Math.abs(z));
      const s = z < 0 ? e / (1 + e) : 1 / (1 + e);
      const t = z < 0 ? 1 / (1 + e) : e / (1 + e);
      const up = g > 0 ? (s * t) / (g + s) : t;
      const down = k > 0 ? (s * t) / (k + t) : s;
      for (let p = 0; p < perItem; p++) {
        const slot = slots[p]!;
        const at = p * Q + q;
        const inner = slot === 0 ? theta : -1;
        right[at] = slot < 2 ? up * inner : slot === 2 ? g * (1 / (g + s) - R) : -k * R;
        wrong[at] = slot < 2 ? -down * inner : slot === 2 ? -g * R : k * (1 / (k + t) - R);
      }
    }
  }
}
