/**
 * Standard normal distribution function Φ(x) = ½·erfc(−x/√2), relative error below 1e-14 in the body and 1e-15·x² in the
 * tails.
 * @example normalCdf(0) // 0.5
 */
export function normalCdf(x: number): number {
  return 0.5 * erfc(-x * Math.SQRT1_2);
}

/**
 * Complementary error function: the series 2x/√π·e^{−x²}·Σ (2x²)ᵏ/(2k+1)!! near 0, whose terms are all positive, and the
 * continued fraction of the tail elsewhere (Abramowitz & Stegun 1964, 7.1.6 and 7.1.14).
 */
export function erfc(x: number): number {
  const y = Math.abs(x);
  if (Number.isNaN(y)) return NaN;
  const density = Math.exp(-y * y) / Math.sqrt(Math.PI);
  if (y < 1.5) {
    let sum = 0;
    let term = 2 * x * density;
    for (let k = 1; Math.abs(term) > 1e-18; k++) {
      sum += term;
      term *= (2 * y * y) / (2 * k + 1);
    }
    return 1 - sum;
  }
  let fraction = y;
  for (let k = 8 + Math.ceil(256 / (y * y)); k > 0; k--) fraction = y + k / 2 / fraction;
  const tail = density / fraction;
  return x < 0 ? 2 - tail : tail;
}

/**
 * Standard normal quantile: P. J. Acklam's rational start, then two Halley steps on {@link normalCdf}.
 * @param p - probability in (0,1); 0 and 1 give −∞ and ∞; NaN outside [0,1].
 * @example normalQuantile(0.975) // ≈ 1.959964
 */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) return NaN;
  if (p === 0) return -Infinity;
  if (p === 1) return Infinity;
  const tail = Math.min(p, 1 - p);
  let x: number;
  if (tail < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(tail));
    x =
      (((((-7.784894002430293e-3 * q - 3.223964580411365e-1) * q - 2.400758277161838) * q - 2.549732539343734) * q +
        4.374664141464968) *
        q +
        2.938163982698783) /
      ((((7.784695709041462e-3 * q + 3.224671290700398e-1) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1);
    if (p > 0.5) x = -x;
  } else {
    const q = p - 0.5;
    const r = q * q;
    x =
      ((((((-3.969683028665376e1 * r + 2.209460984245205e2) * r - 2.759285104469687e2) * r + 1.38357751867269e2) * r -
        3.066479806614716e1) *
        r +
        2.506628277459239) *
        q) /
      (((((-5.447609879822406e1 * r + 1.615858368580409e2) * r - 1.556989798598866e2) * r + 6.680131188771972e1) * r -
        1.328068155288572e1) *
        r +
        1);
  }
  for (let step = 0; step < 2; step++) {
    const density = Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
    if (density === 0) break;
    const error = (x < 0 ? normalCdf(x) - p : 1 - p - normalCdf(-x)) / density;
    x -= error / (1 + 0.5 * x * error);
  }
  return x;
}

/**
 * Quantile of Student's t distribution.
 * Solves F(t) = p by bisection on the distribution function (regularised incomplete beta, Lentz's continued
 * fraction), which is asked near the root alone, once Newton's steps have shown where that is. Above 10⁷ degrees of freedom the quantile at 10⁷ stands for it, 1e-7 from the normal's.
 * @param p - probability in (0,1)
 * @param degreesOfFreedom - ν > 0, not necessarily whole
 * @example studentTQuantile(0.975, 10) // ≈ 2.228139
 */
export function studentTQuantile(p: number, degreesOfFreedom: number): number {
  if (!(p > 0 && p < 1) || !(degreesOfFreedom > 0)) return NaN;
  if (p === 0.5) return 0;
  if (p < 0.5) return -studentTQuantile(1 - p, degreesOfFreedom);
  const degrees = Math.min(degreesOfFreedom, 1e7);
  if (last.p === p && last.degrees === degrees) return last.quantile;
  const ratio = logGammaRatio(degrees / 2);
  const middling = Math.exp(ratio) / Math.sqrt(Math.PI * degrees);
  let [near, step, density] = [0, 1, 0];
  // From below, since F is concave.
  for (let i = 0; i < 20 && step > 1e-12 * near; i++) {
    density = middling * (1 + (near * near) / degrees) ** (-(degrees + 1) / 2);
    step = (p - studentTCdf(near, degrees, ratio)) / density;
    near += step;
  }
  // Where F hardly rises over the root's own size, its rounding is felt there: all is left to bisection.
  if (!(Math.abs(step) <= 1e-12 * near && density * near > 0.01)) near = NaN;
  const isBelow = (t: number): boolean =>
    Math.abs(t - near) > 1e-11 * near ? t < near : studentTCdf(t, degrees, ratio) < p;
  let low = 0;
  let high = 2;
  while (isBelow(high)) high *= 2;
  for (let i = 0; i < 200 && high - low > 1e-14 * high; i++) {
    const middle = 0.5 * (low + high);
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  last = { p, degrees, quantile: 0.5 * (low + high) };
  return last.quantile;
}

/** The quantile found last: the intervals of a form come in thousands, with the same degrees of freedom. */
let last = { p: NaN, degrees: NaN, quantile: NaN };

/**
 * Distribution function of Student's t: F(t) = 1 − ½·I_{ν/(ν+t²)}(ν/2, ½) for t ≥ 0.
 * @param ratio - log Γ((ν+1)/2)/Γ(ν/2)
 */
export function studentTCdf(t: number, degreesOfFreedom: number, ratio = logGammaRatio(degreesOfFreedom / 2)): number {
  const square = t * t;
  if (square === Infinity) return t > 0 ? 1 : 0;
  const x = degreesOfFreedom / (degreesOfFreedom + square);
  const rest = square / (degreesOfFreedom + square);
  const a = degreesOfFreedom / 2;
  // x^a·(1−x)^½ / B(a, ½), with log x from what it lacks to 1.
  const front = Math.exp(ratio - a * Math.log1p(square / degreesOfFreedom)) * Math.sqrt(rest / Math.PI);
  const both =
    x < (a + 1) / (a + 2.5) ? (front * betaFraction(x, a, 0.5)) / a : 1 - 2 * front * betaFraction(rest, 0.5, a);
  return t >= 0 ? 1 - both / 2 : both / 2;
}

/** log Γ(a+½)/Γ(a) for a > 0, by its asymptotic series (Tricomi & Erdélyi 1951) after steps up to a ≥ 20. */
function logGammaRatio(a: number): number {
  let steps = 0;
  for (; a < 20; a++) steps += Math.log(a / (a + 0.5));
  const s = 1 / (a * a);
  return steps + 0.5 * Math.log(a) - (1 / 8 - s * (1 / 192 - s * (1 / 640 - (s * 17) / 14336))) / a;
}

function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 - ((a + b) * x) / (a + 1);
  d = 1 / (Math.abs(d) < tiny ? tiny : d);
  let h = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 + even * d;
    c = 1 + even / c;
    d = 1 / (Math.abs(d) < tiny ? tiny : d);
    c = Math.abs(c) < tiny ? tiny : c;
    h *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + odd * d;
    c = 1 + odd / c;
    d = 1 / (Math.abs(d) < tiny ? tiny : d);
    c = Math.abs(c) < tiny ? tiny : c;
    const delta = d * c;
    h *= delta;
    if (Math.abs(delta - 1) < 1e-16) break;
  }
  return h;
}
