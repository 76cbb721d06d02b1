import { AnchorEvalError } from "../errors.ts";
import { discriminations, type FloatArray, itemBank, type ItemBank } from "./item-bank.ts";

/** Arrays as other programs keep them: item-major discriminations (N·D) and their own intercept or difficulty. */
export interface ForeignParameters {
  readonly a: FloatArray;
  /** The other program's difficulty or intercept: N values, or N·D for upstream py-irt. */
  readonly b: FloatArray;
}

/**
 * From tinyBenchmarks' py-irt fork: logit = Σ_d(a_d·θ_d − b), the scalar b counted D times.
 * @see methods of tinyBenchmarks (Maia Polo et al. 2024)
 */
export function fromPyIrtFork({ a, b }: ForeignParameters): ItemBank {
  const intercepts = Float64Array.from(b, (value) => value * (a.length / b.length));
  return itemBank(a, intercepts);
}

/** Inverse of {@link fromPyIrtFork}. */
export function toPyIrtFork(bank: ItemBank): ForeignParameters {
  refuseAsymptotes(bank, "py-irt's multidim_2pl");
  return { a: bank.a, b: Float64Array.from(bank.b, (value) => value / bank.dims) };
}

/** From upstream py-irt (0.7 and later): logit = Σ_d a_d(θ_d − b_d), difficulties per dimension, N·D of them. */
export function fromPyIrt({ a, b }: ForeignParameters, dims: number): ItemBank {
  if (a.length !== b.length || a.length % dims !== 0)
    throw new AnchorEvalError(
      "invalid_data",
      `py-irt gives N·D difficulties: ${b.length} do not match ${a.length} discriminations`,
    );
  const intercepts = new Float64Array(a.length / dims);
  for (let i = 0; i < intercepts.length; i++)
    for (let d = 0; d < dims; d++) intercepts[i] = intercepts[i]! + a[i * dims + d]! * b[i * dims + d]!;
  return itemBank(a, intercepts);
}

/**
 * To upstream py-irt: the N·D difficulties of smallest norm that give the same intercept, b_d = b·a_d/‖a‖²
 * (one intercept doesn't determine D difficulties; the curve is the same).
 */
export function toPyIrt(bank: ItemBank): ForeignParameters {
  refuseAsymptotes(bank, "py-irt's multidim_2pl");
  const norms = discriminations(bank);
  return {
    a: bank.a,
    b: Float64Array.from(bank.a, (value, k) => {
      const i = Math.floor(k / bank.dims);
      return (bank.b[i]! * value) / norms[i]! ** 2;
    }),
  };
}

/**
 * From tinyBenchmarks' `irt_parameters`, A (1,D,N) and B (1,1,N): logit = Σ_d (A_d·θ_d − B), the intercept counted D
 * times, as its estimator computes it (and the fork that fits it).
 */
export function fromTinyBenchmarks(A: FloatArray, B: FloatArray): ItemBank {
  return fromPyIrtFork({ a: transpose(A, A.length / B.length, B.length), b: B });
}

/** Inverse of {@link fromTinyBenchmarks}: A dimension-major (D·N), B. */
export function toTinyBenchmarks(bank: ItemBank): { A: Float64Array; B: FloatArray } {
  refuseAsymptotes(bank, "tinyBenchmarks");
  return { A: transpose(bank.a, bank.count, bank.dims), B: toPyIrtFork(bank).b };
}

/** From mirt's slope-intercept form: logit = Σ_d a_d·θ_d + d, asymptotes g and u. `b` takes mirt's d. */
export function fromMirt({ a, b: d }: ForeignParameters, { g, u }: { g?: FloatArray; u?: FloatArray } = {}): ItemBank {
  const intercepts = Float64Array.from(d, (value) => -value);
  return itemBank(a, intercepts, { lower: g ?? null, upper: u ?? null });
}

/** Inverse of {@link fromMirt}. */
export function toMirt(bank: ItemBank): ForeignParameters & { g: FloatArray; u: FloatArray } {
  return {
    a: bank.a,
    b: Float64Array.from(bank.b, (value) => -value),
    g: bank.lower ?? new Float64Array(bank.count),
    u: bank.upper ?? new Float64Array(bank.count).fill(1),
  };
}

function transpose(values: FloatArray, rows: number, columns: number): Float64Array {
  const out = new Float64Array(values.length);
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) out[c * rows + r] = values[r * columns + c]!;
  return out;
}

function refuseAsymptotes(bank: ItemBank, target: string): void {
  if (bank.lower !== null || bank.upper !== null)
    throw new AnchorEvalError(
      "unsupported",
      `${target} has no asymptotes: only 2PL parameters can be written in its form`,
    );
}
