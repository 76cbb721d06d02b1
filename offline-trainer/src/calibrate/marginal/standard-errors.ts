import { lowerAsymptote, upperAsymptote, type Curves } from "./curves.ts";
import type { ItemCovariances } from "./item-covariances.ts";
import type { Layout } from "./layout.ts";
import type { Problem } from "./problem.ts";
import type { ItemStandardErrors } from "./types.ts";

/**
 * Standard errors of the items' parameters from the covariances in (a, b, log g, log k), by the delta method:
 * ∂lower = lower·((1 − lower), −(1 − upper)) and ∂upper = (1 − upper)·(lower, −upper) in (log g, log k), and
 * ∂(b/a) = (−b/a, 1)/a in (a, b).
 * @param isFixed - items whose parameters are known: their errors are 0
 */
export function standardErrors(
  problem: Problem,
  layout: Layout,
  { a, b, g, k }: Curves,
  { blocks, slope }: ItemCovariances,
  isFixed: (item: number) => boolean,
): ItemStandardErrors {
  const { free, items } = problem;
  const { perItem, slots } = layout;
  const none = (): Float64Array => Float64Array.from({ length: items }, (_, i) => (isFixed(i) ? 0 : NaN));
  const out = { a: none(), b: none(), lower: none(), upper: none(), difficulty: none() };
  const own = new Float64Array(16);
  const deviation = (...gradient: readonly number[]): number => {
    let variance = 0;
    for (let p = 0; p < 4; p++) for (let r = 0; r < 4; r++) variance += gradient[p]! * own[p * 4 + r]! * gradient[r]!;
    return Math.sqrt(variance);
  };
  for (let f = 0; f < free.length; f++) {
    const i = free[f]!;
    own.fill(0);
    for (let p = 0; p < perItem; p++)
      for (let r = 0; r < perItem; r++) own[slots[p]! * 4 + slots[r]!] = blocks[(f * perItem + p) * perItem + r]!;
    if (slope) {
      own[0] = slope.variance;
      own[1] = own[4] = slope.withItems[f]!;
    }
    const lower = lowerAsymptote(g[i]!, k[i]!);
    const upper = upperAsymptote(g[i]!, k[i]!);
    out.a[i] = deviation(1, 0, 0, 0);
    out.b[i] = deviation(0, 1, 0, 0);
    out.lower[i] = deviation(0, 0, lower * (1 - lower), -lower * (1 - upper));
    out.upper[i] = deviation(0, 0, lower * (1 - upper), -upper * (1 - upper));
    out.difficulty[i] = deviation(-b[i]! / a[i]! ** 2, 1 / a[i]!, 0, 0);
  }
  return out;
}
