/**
 * Upper tail of the χ² distribution, P(X ≥ x) = Q(ν/2, x/2): the series of the lower incomplete gamma function below its
 * mean, Lentz's continued fraction of the upper one above it.
 * @param x - 0 or more
 * @param degrees - ν > 0, not necessarily whole
 * @returns a probability in [0,1]; NaN where an argument is none
 * @see Abramowitz & Stegun (1964), 6.5.29 and 6.5.31
 * @example chiSquareTail(3.841459, 1) // ≈ 0.05
 */
export function chiSquareTail(x: number, degrees: number): number {
  if (!(degrees > 0) || Number.isNaN(x)) return NaN;
  if (x <= 0) return 1;
  if (x === Infinity) return 0;
  const [a, t] = [degrees / 2, x / 2];
  const front = Math.exp(a * Math.log(t) - t - logGamma(a));
  if (t < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let k = 1; k < 10_000 && term > 1e-17 * sum; k++) {
      term *= t / (a + k);
      sum += term;
    }
    return Math.max(0, 1 - front * sum);
  }
  const tiny = 1e-300;
  let b = t + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let h = d;
  for (let k = 1; k < 10_000; k++) {
    const product = -k * (k - a);
    b += 2;
    d = product * d + b;
    d = 1 / (Math.abs(d) < tiny ? tiny : d);
    c = b + product / c;
    c = Math.abs(c) < tiny ? tiny : c;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return front * h;
}

/** log Γ(x) for x > 0: Stirling's series after steps up to x ≥ 12. */
function logGamma(x: number): number {
  let shift = 0;
  for (; x < 12; x++) shift += Math.log(x);
  const s = 1 / (x * x);
  const series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / x;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
}
