/**
 * Logistic function σ(x) = 1/(1+e⁻ˣ), without overflow.
 * @returns a probability in [0,1]; NaN for NaN.
 * @example sigmoid(0) // 0.5
 */
export function sigmoid(x: number): number {
  const e = Math.exp(-Math.abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

/**
 * log(1 + eˣ) without overflow or loss: log σ(z) = −softplus(−z), log(1−σ(z)) = −softplus(z).
 * @example softplus(0) // ≈ 0.693147
 */
export function softplus(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}

/**
 * Inverse of the logistic function, log(p/(1−p)).
 * @param p - probability in (0,1); 0 and 1 give −∞ and ∞.
 * @example logit(0.5) // 0
 */
export function logit(p: number): number {
  return Math.log(p) - Math.log1p(-p);
}

/** log Σ exp of some logs, without overflow. @returns −Infinity of none */
export function logSumExp(logs: ArrayLike<number>): number {
  let most = -Infinity;
  for (let k = 0; k < logs.length; k++) most = Math.max(most, logs[k]!);
  if (most === -Infinity) return most;
  let sum = 0;
  for (let k = 0; k < logs.length; k++) sum += Math.exp(logs[k]! - most);
  return most + Math.log(sum);
}

/**
 * Steps of the table in one octave: Tang (1989), ACM TOMS 15, 144–157. That they are so many was chosen, not measured.
 */
const STEPS = 2048;
/** Their power of two, by definition. */
const BITS = 11;
/** 2^(j/2048) by `exp`, since engines' powers differ more. */
export const EXP_STEPS = /* @__PURE__ */ Float64Array.from({ length: STEPS }, (_, j) =>
  Math.exp((j * Math.LN2) / STEPS),
);

/** Whole powers of two that are float64's normal numbers, 2^(k−1022). */
const OFFSET = 1022;
const POWERS = /* @__PURE__ */ Float64Array.from({ length: 2 * OFFSET + 1 }, (_, k) => 2 ** (k - OFFSET));

/**
 * {@link sigmoid} of many numbers, twice as fast: with x = n·ln2/2048 + r and |r| < 2⁻¹², eˣ is
 * 2^(n/2048)·(1 + r + r²/2 + r³/6) within 2 units in the last place.
 * @param values - the first `size` of them are replaced by their sigmoids
 * @returns `values`
 * @example sigmoids(Float64Array.of(0))[0] // 0.5
 * @see Tang (1989), Table-Driven Implementation of the Exponential Function in IEEE Floating-Point Arithmetic
 */
export function sigmoids(values: Float64Array, size = values.length): Float64Array {
  // Locals, since bundlers make variables of a module's constants, which engines read again for every number.
  const fractions = EXP_STEPS;
  const powers = POWERS;
  const perUnit = STEPS / Math.LN2;
  const rounder = 6755399441055744; // 1.5·2⁵²: added and taken away, it rounds to a whole number
  const high = 0.6931471803691238 / STEPS; // ln 2 in two parts; products of the first with whole numbers are exact (fdlibm)
  const low = 1.9082149292705877e-10 / STEPS;
  for (let i = 0; i < size; i++) {
    const x = -values[i]!;
    if (!(x > -700 && x < 700)) {
      values[i] = sigmoid(-x);
      continue;
    }
    const whole = x * perUnit + rounder - rounder;
    const n = whole | 0;
    const r = x - whole * high - whole * low;
    const fraction = fractions[n & (STEPS - 1)]!;
    const power = powers[(n >> BITS) + OFFSET]!;
    values[i] = 1 / (1 + (fraction + fraction * (r + r * r * (0.5 + r * (1 / 6)))) * power);
  }
  return values;
}

/** A non-decreasing piecewise-linear map through knots (x ascending), constant outside them. */
export interface MonotoneMap {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/**
 * Value of a monotone map.
 * @example applyMonotoneMap({ x: Float64Array.of(0, 1), y: Float64Array.of(0, 0.5) }, 0.5) // 0.25
 */
export function applyMonotoneMap(map: MonotoneMap, value: number): number {
  const { x, y } = map;
  const last = x.length - 1;
  if (value <= x[0]!) return y[0]!;
  if (value >= x[last]!) return y[last]!;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle]! <= value) low = middle;
    else high = middle;
  }
  const share = (value - x[low]!) / (x[high]! - x[low]!);
  return y[low]! + share * (y[high]! - y[low]!);
}
