/**
 * Standard normal distribution function Φ(x), absolute error below 1e-15 in the body and relative in the tails.
 * Φ(x) = ½·erfc(−x/√2), erfc by W. J. Cody's rational approximations (1969).
 * @example normalCdf(0) // 0.5
 */
export function normalCdf(x: number): number {
  return 0.5 * erfc(-x * Math.SQRT1_2);
}

/** Complementary error function by W. J. Cody, Math. Comp. 23 (1969) 631–637. */
export function erfc(x: number): number {
  const y = Math.abs(x);
  if (y > 30) return x < 0 ? 2 : 0; // below the smallest double; ∞ too
  let result: number;
  if (y <= 0.46875) return 1 - erfSmall(x);
  if (y <= 4) {
    const p = [
      5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1, 2.98635138197400131e2, 8.8195222124176909e2,
      1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3, 2.15311535474403846e-8,
    ] as const;
    const q = [
      1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3, 3.29079923573345963e3,
      4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
    ] as const;
    let num = p[8] * y;
    let den = y;
    for (let i = 0; i < 7; i++) {
      num = (num + p[i]!) * y;
      den = (den + q[i]!) * y;
    }
    result = (num + p[7]) / (den + q[7]);
  } else {
    const p = [
      3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1, 1.60837851487422766e-2,
      6.58749161529837803e-4, 1.63153871373020978e-2,
    ] as const;
    const q = [
      2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2, 2.33520497626869185e-3,
    ] as const;
    const z = 1 / (y * y);
    let num = p[5] * z;
    let den = z;
    for (let i = 0; i < 4; i++) {
      num = (num + p[i]!) * z;
      den = (den + q[i]!) * z;
    }
    result = (z * (num + p[4])) / (den + q[4]);
    result = (0.56418958354775628695 - result) / y;
  }
  const square = Math.trunc(y * 16) / 16;
  const rest = (y - square) * (y + square);
  result *= Math.exp(-square * square) * Math.exp(-rest);
  return x < 0 ? 2 - result : result;
}

function erfSmall(x: number): number {
  const p = [
    3.1611237438705656, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3, 1.85777706184603153e-1,
  ] as const;
  const q = [2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3] as const;
  const z = x * x;
  let num = p[4] * z;
  let den = z;
  for (let i = 0; i < 3; i++) {
    num = (num + p[i]!) * z;
    den = (den + q[i]!) * z;
  }
  return (x * (num + p[3])) / (den + q[3]);
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
