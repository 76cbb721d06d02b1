/** How alike the members of a family answer one item, beyond what their ability says. */
export interface Likeness {
  /** Σ of products of standardised residuals over pairs of one family, over the mean square. */
  readonly products: number;
  /** Such pairs, each counted both ways. */
  readonly pairs: number;
}

/** Pairs for which the mean over all items stands in for an item's own likeness. */
const PRIOR_PAIRS = 50;

/**
 * Products of the residuals (y − p)/√(pq) within families.
 * @param signs - answers of the models: +1, −1, 0 missing
 * @param p - probability of each, in (0,1)
 */
export function residualLikeness(signs: Int8Array, p: Float64Array, families: Int32Array): Likeness {
  const sums = new Map<number, { sum: number; squares: number; models: number }>();
  let squares = 0;
  let models = 0;
  signs.forEach((sign, m) => {
    if (sign === 0) return;
    const z = ((sign > 0 ? 1 : 0) - p[m]!) / Math.sqrt(p[m]! * (1 - p[m]!));
    const own = sums.get(families[m]!) ?? { sum: 0, squares: 0, models: 0 };
    own.sum += z;
    own.squares += z * z;
    own.models++;
    sums.set(families[m]!, own);
    squares += z * z;
    models++;
  });
  let products = 0;
  let pairs = 0;
  for (const own of sums.values()) {
    products += own.sum ** 2 - own.squares;
    pairs += own.models * (own.models - 1);
  }
  return { products: squares > 0 ? (products * models) / squares : 0, pairs };
}

/** Mean intraclass correlation of all items. */
export function meanLikeness(items: readonly Likeness[]): number {
  const pairs = items.reduce((sum, own) => sum + own.pairs, 0);
  return pairs > 0 ? items.reduce((sum, { products }) => sum + products, 0) / pairs : 0;
}

/**
 * Weights by which related models count for an item: 1/(1 + (n − 1)·ρ) for a family of which n models answered it, with
 * ρ the item's intraclass correlation, drawn to the mean over all items. A family then counts for the effective size of
 * a cluster.
 * @param mean - of {@link meanLikeness}
 * @see Kish (1965), Survey Sampling, §5.4
 */
export function familyWeights(
  { products, pairs }: Likeness,
  mean: number,
  signs: Int8Array,
  families: Int32Array,
): Float64Array {
  const rho = Math.min(1, Math.max(0, (products + PRIOR_PAIRS * mean) / (pairs + PRIOR_PAIRS)));
  const answered = new Map<number, number>();
  signs.forEach((sign, m) => {
    if (sign !== 0) answered.set(families[m]!, (answered.get(families[m]!) ?? 0) + 1);
  });
  return Float64Array.from(families, (family) => 1 / (1 + ((answered.get(family) ?? 1) - 1) * rho));
}
