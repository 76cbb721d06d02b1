/**
 * q-values of Benjamini & Hochberg's step-up procedure: the smallest false discovery rate at which a test is called,
 * q_(k) = min over j ≥ k of p_(j)·n/j. NaN is no test: it stays NaN and doesn't count.
 * @param p - p-values in [0,1]
 * @returns aligned with `p`
 * @see Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B 57, 289–300
 */
export function benjaminiHochberg(p: ArrayLike<number>): Float64Array {
  const order = Array.from({ length: p.length }, (_, k) => k).filter((k) => !Number.isNaN(p[k]!));
  order.sort((x, y) => p[x]! - p[y]!);
  const q = new Float64Array(p.length).fill(NaN);
  let least = 1;
  for (let rank = order.length; rank > 0; rank--) {
    const at = order[rank - 1]!;
    least = Math.min(least, (p[at]! * order.length) / rank);
    q[at] = least;
  }
  return q;
}
