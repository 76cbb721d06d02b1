import { normalCdf, normalQuantile } from "../../../sdk/core/numeric/distributions.ts";

/**
 * Looks at which a sequence of intervals may be announced at most: each makes all of them wider
 * (docs/decisions/comparisons.md).
 */
export const MOST_LOOKS = 20;

/**
 * Level of the common intervals at each of several announced looks such that all of them cover together with
 * probability `level`: Pocock's constant boundary ±z·se for a sum of martingale differences whose variance grows evenly,
 * asymptotically. Stopping at any of the looks, for whatever reason, keeps the level.
 *
 * With S_t the standardised sum, P(|S_t| ≤ z√t at all looks) is integrated numerically, look by look (Gauss-Legendre),
 * and z found by the secant rule: 1.96, 2.41, 2.56 and 2.67 for 1, 5, 10 and 20 looks at level .95.
 * @param level - in (0,1)
 * @param looks - when they are, in units in which the variance of S grows evenly: positive, ascending; at most
 * {@link MOST_LOOKS}
 * @returns a level not below the given one
 * @see Pocock (1977), Biometrika 64, 191–199; Armitage, McPherson & Rowe (1969), JRSS A 132, 235–244
 * @example looksLevel(0.95, [1, 2, 3, 4, 5]) // ≈ 0.9842, z = 2.413
 */
export function looksLevel(level: number, looks: readonly number[]): number {
  if (looks.length <= 1) return level;
  const least = normalQuantile(0.5 + level / 2);
  let low = least;
  let atLow = stays(looks, low) - level;
  let high = least + 0.24 * Math.log(looks.length);
  let atHigh = stays(looks, high) - level;
  for (let k = 0; k < 20 && Math.abs(high - low) > 1e-6; k++) {
    const next = high - (atHigh * (high - low)) / (atHigh - atLow);
    [low, atLow] = [high, atHigh];
    high = Math.max(least, next);
    atHigh = stays(looks, high) - level;
    if (atHigh === atLow) break;
  }
  return 2 * normalCdf(high) - 1;
}

/** P(|S_t| ≤ z√t at all looks). The density is even, so half of it is kept. */
function stays(looks: readonly number[], z: number): number {
  let nodes: ReturnType<typeof legendreNodes> = [];
  let density: number[] = [];
  looks.forEach((time, l) => {
    const edge = z * Math.sqrt(time);
    const before = looks[l - 1] ?? 0;
    const step = Math.sqrt(time - before);
    const next = legendreNodes(10 + Math.ceil(edge / step)).map(({ at, weight }) => ({
      at: (edge * (at + 1)) / 2,
      weight: (edge * weight) / 2,
    }));
    const bell = (x: number): number => Math.exp(-0.5 * (x / step) ** 2) / (step * Math.sqrt(2 * Math.PI));
    const nextDensity = next.map(({ at }) => {
      if (l === 0) return bell(at);
      let sum = 0;
      for (let j = 0; j < nodes.length; j++)
        sum += nodes[j]!.weight * density[j]! * (bell(at - nodes[j]!.at) + bell(at + nodes[j]!.at));
      return sum;
    });
    nodes = next;
    density = nextDensity;
  });
  return 2 * nodes.reduce((sum, { weight }, j) => sum + weight * density[j]!, 0);
}

const legendre = new Map<number, ReturnType<typeof legendreNodes>>();

/** Gauss-Legendre nodes and weights on [−1, 1], by Newton's rule on the Legendre polynomial. */
function legendreNodes(count: number): readonly { readonly at: number; readonly weight: number }[] {
  const computed = legendre.get(count);
  if (computed) return computed;
  const nodes = Array.from({ length: count }, (_, i) => {
    let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5));
    let slope = 1;
    for (let k = 0; k < 50; k++) {
      let [p, previous] = [1, 0];
      for (let d = 1; d <= count; d++) [p, previous] = [((2 * d - 1) * x * p - (d - 1) * previous) / d, p];
      slope = (count * (x * p - previous)) / (x * x - 1);
      const move = p / slope;
      x -= move;
      if (Math.abs(move) < 1e-15) break;
    }
    return { at: x, weight: 2 / ((1 - x * x) * slope * slope) };
  });
  legendre.set(count, nodes);
  return nodes;
}
