import type { CodedResponses } from "../types.ts";

/** out_m = Σ_i s_mi·v_i, four models at a time, so that sums don't wait for each other. */
export function sumOverItems({ subjects, items, signs }: CodedResponses, v: Float64Array, out: Float64Array): void {
  let m = 0;
  for (; m + 3 < subjects; m += 4) {
    const at = m * items;
    const [second, third, fourth] = [at + items, at + 2 * items, at + 3 * items];
    let [p, q, r, s] = [0, 0, 0, 0];
    for (let i = 0; i < items; i++) {
      const value = v[i]!;
      p += signs[at + i]! * value;
      q += signs[second + i]! * value;
      r += signs[third + i]! * value;
      s += signs[fourth + i]! * value;
    }
    out[m] = p;
    out[m + 1] = q;
    out[m + 2] = r;
    out[m + 3] = s;
  }
  for (; m < subjects; m++) {
    const at = m * items;
    let sum = 0;
    for (let i = 0; i < items; i++) sum += signs[at + i]! * v[i]!;
    out[m] = sum;
  }
}

/** out_i = Σ_m s_mi·v_m, four models at a time, so that out is gone through a quarter as often. */
export function sumOverModels({ subjects, items, signs }: CodedResponses, v: Float64Array, out: Float64Array): void {
  out.fill(0);
  let m = 0;
  for (; m + 3 < subjects; m += 4) {
    const at = m * items;
    const [second, third, fourth] = [at + items, at + 2 * items, at + 3 * items];
    const [p, q, r, s] = [v[m]!, v[m + 1]!, v[m + 2]!, v[m + 3]!];
    for (let i = 0; i < items; i++)
      out[i] = out[i]! + signs[at + i]! * p + signs[second + i]! * q + (signs[third + i]! * r + signs[fourth + i]! * s);
  }
  for (; m < subjects; m++) {
    const at = m * items;
    const weight = v[m]!;
    for (let i = 0; i < items; i++) out[i] = out[i]! + signs[at + i]! * weight;
  }
}
