/**
 * Quantile of Student's t distribution.
 * Solves F(t) = p by bisection on the distribution function (regularised incomplete beta, Lentz's continued
 * fraction). Above 10⁷ degrees of freedom the quantile at 10⁷ stands for it, 1e-7 from the normal's.
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
  let low = 0;
  let high = 2;
  while (studentTCdf(high, degrees) < p) high *= 2;
  for (let i = 0; i < 200 && high - low > 1e-14 * high; i++) {
    const middle = 0.5 * (low + high);
    if (studentTCdf(middle, degrees) < p) low = middle;
    else high = middle;
  }
  last = { p, degrees, quantile: 0.5 * (low + high) };
  return last.quantile;
}

/** The quantile found last: the intervals of a form come in thousands, with the same degrees of freedom. */
let last = { p: NaN, degrees: NaN, quantile: NaN };

/** Distribution function of Student's t: F(t) = 1 − ½·I_{ν/(ν+t²)}(ν/2, ½) for t ≥ 0. */
export function studentTCdf(t: number, degreesOfFreedom: number): number {
  const square = t * t;
  const x = degreesOfFreedom / (degreesOfFreedom + square);
  const rest = square / (degreesOfFreedom + square);
  const a = degreesOfFreedom / 2;
  // x^a·(1−x)^½ / B(a, ½), with log x from what it lacks to 1.
  const front = Math.exp(logGammaRatio(a) - a * Math.log1p(square / degreesOfFreedom)) * Math.sqrt(rest / Math.PI);
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
