import { symmetricEigen } from "../numeric/eigen.ts";
import type { Parameters } from "./types.ts";

/**
 * Rotates abilities and discriminations to the axes of the discriminations' second moments AᵀA, largest first, each
 * with the sign that makes the sum of its discriminations positive. Every a·θ stays the same.
 */
export function canonicalRotation({ theta, a, b }: Parameters, dims: number): Parameters {
  const moments = new Float64Array(dims * dims);
  for (let at = 0; at < a.length; at += dims)
    for (let r = 0; r < dims; r++) for (let c = 0; c < dims; c++) moments[r * dims + c]! += a[at + r]! * a[at + c]!;
  const { vectors } = symmetricEigen(moments, dims);
  const turn = (rows: Float64Array): Float64Array => {
    const out = new Float64Array(rows.length);
    for (let at = 0; at < rows.length; at += dims)
      for (let k = 0; k < dims; k++) {
        let sum = 0;
        for (let d = 0; d < dims; d++) sum += rows[at + d]! * vectors[k * dims + d]!;
        out[at + k] = sum;
      }
    return out;
  };
  const turnedA = turn(a);
  const turnedTheta = turn(theta);
  for (let k = 0; k < dims; k++) {
    let sum = 0;
    for (let at = k; at < turnedA.length; at += dims) sum += turnedA[at]!;
    if (sum >= 0) continue;
    for (let at = k; at < turnedA.length; at += dims) turnedA[at] = -turnedA[at]!;
    for (let at = k; at < turnedTheta.length; at += dims) turnedTheta[at] = -turnedTheta[at]!;
  }
  return { theta: turnedTheta, a: turnedA, b: Float64Array.from(b) };
}
