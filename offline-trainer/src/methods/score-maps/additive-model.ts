import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { addGram, cholesky, choleskyInverse, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import { symmetricEigen } from "../../numeric/eigen.ts";
import { mean, variance } from "../../numeric/statistics.ts";
import { basisRows, bendingPenalty, cubicBSplines, type SmoothCurve, splineCurve } from "./b-splines.ts";
import { distinctValues, LEAST_POINTS, quantiles, straightCurve } from "./penalised-spline.ts";

/** λ, relative to the squares of its part's columns, above which the part is left out. */
const NOTHING = 1e8;

/**
 * Additive model y = intercept + Σ_j f_j(x_j) by penalised cubic splines: every curve is a line, with a ridge penalty of its own, and what bends, with
 * the penalty λ·∫ f″² of its own. All λ by restricted maximum likelihood, each part being a random effect b with variance
 * σ²/λ: λ ← σ²·degrees/‖b‖² (Fellner & Schall), until nothing changes. A part that the data don't ask for shrinks away,
 * lines too, so that features that say nothing new cost little even where models are few.
 * @param columns - features, each of n values
 * @param pieces - of a curve at most; its penalty decides how much of them is used
 * @param tolerance - change of log λ that ends the search, as `maxSteps` do
 * @returns the mean of y, and the curve of every column, with mean 0 over its values; null of a column that is constant
 * @throws AnchorEvalError `invalid_data` for no values
 * @see Wood & Fasiolo (2017), Biometrics 73, 1071–1081; Marra & Wood (2011), CSDA 55, 2372–2387 (lines are penalised too)
 */
export function additiveModel(
  columns: readonly Float64Array[],
  y: Float64Array,
  { pieces = 10, tolerance = 0.01, maxSteps = 100 } = {},
) {
  if (y.length === 0) throw new AnchorEvalError("invalid_data", "an additive model needs at least one value");
  const intercept = mean(y);
  const bases = columns.map((x) => termBasis(x, pieces));
  const parts = bases.flatMap((basis) => basis?.parts ?? []);
  const centred = y.map((value) => value - intercept);
  const effects = randomEffects(parts, centred, tolerance, maxSteps);
  let at = 0;
  const curves = bases.map((basis) => basis && basis.curve(basis.parts.map(() => effects[at++]!)));
  return { intercept, curves };
}

/** Columns of a part of a curve, n×width row-major, each with mean 0. */
interface Part {
  readonly width: number;
  readonly rows: Float64Array;
}

interface TermBasis {
  /** The line, and what bends. */
  readonly parts: readonly Part[];
  readonly curve: (effects: readonly Float64Array[]) => SmoothCurve;
}

/**
 * A curve's columns: z = (x − mean)/deviation, and splines along the eigenvectors of the bending penalty, each scaled to a
 * penalty of 1 and freed of its own line. Null where x is constant.
 */
function termBasis(x: Float64Array, pieces: number): TermBasis | null {
  const n = x.length;
  const different = distinctValues(x);
  if (different.length < 2) return null;
  const centre = mean(x);
  const deviation = Math.sqrt(variance(x));
  const line = { width: 1, rows: x.map((value) => (value - centre) / deviation) };
  if (different.length < LEAST_POINTS)
    return {
      parts: [line],
      curve: ([slope]) => straightCurve(different, (end) => (slope![0]! * (end - centre)) / deviation),
    };
  const splines = cubicBSplines(quantiles(different, pieces));
  const size = splines.count;
  const { values, vectors } = symmetricEigen(bendingPenalty(splines), size);
  const width = size - 2; // a line doesn't bend
  const turned = vectors.map((value, at) => {
    const k = Math.floor(at / size);
    return k < width ? value / Math.sqrt(values[k]!) : 0;
  });
  const basis = basisRows(splines, x);
  const rows = new Float64Array(n * width);
  const level = new Float64Array(width);
  const slope = new Float64Array(width);
  for (let k = 0; k < width; k++) {
    for (let j = 0; j < n; j++) {
      let value = 0;
      for (let r = 0; r < size; r++) value += basis[j * size + r]! * turned[k * size + r]!;
      rows[j * width + k] = value;
      level[k]! += value / n;
      slope[k]! += (value * line.rows[j]!) / n;
    }
    for (let j = 0; j < n; j++) rows[j * width + k]! -= level[k]! + slope[k]! * line.rows[j]!;
  }
  return {
    parts: [line, { width, rows }],
    curve: ([straight, bent]) => {
      const coefficients = new Float64Array(size);
      let [constant, rise] = [0, straight![0]!];
      bent!.forEach((effect, k) => {
        constant -= effect * level[k]!;
        rise -= effect * slope[k]!;
        for (let r = 0; r < size; r++) coefficients[r]! += effect * turned[k * size + r]!;
      });
      const { x: breaks, y, bending } = splineCurve(splines, coefficients);
      return {
        x: breaks,
        y: y.map((value, i) => value + constant + (rise * (breaks[i]! - centre)) / deviation),
        bending,
      };
    },
  };
}

/**
 * Random effects of some parts, with their variances by restricted maximum likelihood.
 * @param y - with mean 0
 * @returns effects by part, zeros of those left out
 */
function randomEffects(parts: readonly Part[], y: Float64Array, tolerance: number, maxSteps: number): Float64Array[] {
  const n = y.length;
  const partOf = parts.flatMap(({ width }, k) => new Array<number>(width).fill(k));
  const total = partOf.length;
  const rows = new Float64Array(n * total);
  let begin = 0;
  for (const { width, rows: block } of parts) {
    for (let j = 0; j < n; j++) rows.set(block.subarray(j * width, (j + 1) * width), j * total + begin);
    begin += width;
  }
  const gram = new Float64Array(total * total);
  addGram(gram, total, rows, new Float64Array(n).fill(1), n);
  for (let r = 0; r < total; r++) for (let c = 0; c < r; c++) gram[c * total + r] = gram[r * total + c]!;
  const toward = new Float64Array(total);
  for (let j = 0; j < n; j++) for (let k = 0; k < total; k++) toward[k]! += rows[j * total + k]! * y[j]!;
  const squares = y.reduce((sum, value) => sum + value * value, 0);
  const scale = new Float64Array(parts.length);
  partOf.forEach((k, at) => (scale[k]! += gram[at * total + at]!));
  parts.forEach(({ width }, k) => (scale[k]! /= width));
  const logs = scale.map(Math.log);
  const effects = new Float64Array(total);
  const byPart = (): Float64Array[] => parts.map((_, k) => effects.filter((_, at) => partOf[at] === k));
  if (squares <= 1e-24 * n) return byPart();
  let left = Array.from(parts.keys()).filter((k) => scale[k]! > 0);
  for (let step = 0; step < maxSteps && left.length > 0; step++) {
    const kept = Array.from(partOf.keys()).filter((at) => left.includes(partOf[at]!));
    const size = kept.length;
    const penalties = logs.map(Math.exp);
    const system = new Float64Array(size * size);
    kept.forEach((at, r) => {
      for (let c = 0; c < size; c++) system[r * size + c] = gram[at * total + kept[c]!]!;
      system[r * size + r]! += penalties[partOf[at]!]!;
    });
    const factor = cholesky(system, size);
    if (factor === null)
      throw new AnchorEvalError("numeric_failure", "the features of an additive model are not finite");
    const wanted = Float64Array.from(kept, (at) => toward[at]!);
    const b = choleskySolve(factor, size, wanted);
    const inverse = choleskyInverse(factor, size);
    const degrees = parts.map(({ width }) => width);
    const lengths = new Float64Array(parts.length); // ‖b‖² of a part
    let explained = 0; // bᵀXᵀy
    let shrunk = 0; // Σ λ‖b‖²
    effects.fill(0);
    kept.forEach((at, r) => {
      const k = partOf[at]!;
      degrees[k]! -= penalties[k]! * inverse[r * size + r]!;
      lengths[k]! += b[r]! ** 2;
      explained += b[r]! * toward[at]!;
      shrunk += penalties[k]! * b[r]! ** 2;
      effects[at] = b[r]!;
    });
    const used = left.reduce((sum, k) => sum + degrees[k]!, 0);
    const variance = Math.max(squares - explained - shrunk, 1e-12 * squares) / Math.max(1, n - 1 - used);
    let moved = 0;
    const dropped = new Set<number>();
    for (const k of left) {
      const next = Math.log((variance * Math.max(degrees[k]!, 1e-12)) / Math.max(lengths[k]!, 1e-300));
      moved = Math.max(moved, Math.abs(next - logs[k]!));
      logs[k] = next;
      if (next > Math.log(NOTHING * scale[k]!)) dropped.add(k);
    }
    partOf.forEach((k, at) => {
      if (dropped.has(k)) effects[at] = 0;
    });
    left = left.filter((k) => !dropped.has(k));
    if (moved < tolerance && dropped.size === 0) break;
  }
  return byPart();
}
