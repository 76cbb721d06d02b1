import type { Curves } from "./curves.ts";
import type { Problem } from "./problem.ts";

/**
 * The vector that is searched: of every item to estimate its parameters in the order a, b, log g, log k as far as the
 * model has them, then what is common to all: the 1PL's slope, or the population's mean and the logarithm of its
 * standard deviation beside fixed items.
 */
export interface Layout {
  /** Parameters of an item. */
  readonly perItem: number;
  /** Which of the four (a, b, log g, log k) those are. */
  readonly slots: readonly number[];
  /** Where the common ones begin: free items times `perItem`. */
  readonly tail: number;
  /** Where the slope stands, or −1 where each item has its own or it is known. */
  readonly slope: number;
  /** Where the population's mean stands, its log standard deviation next to it; −1 where it is N(0, 1). */
  readonly population: number;
  readonly size: number;
}

const SLOTS = { "1pl": [1], "2pl": [0, 1], "3pl": [0, 1, 2], "4pl": [0, 1, 2, 3] } as const;

/** @param hasFixed - whether there are fixed items, of which the 1PL takes its slope */
export function parameterLayout({ model, free }: Problem, hasFixed: boolean): Layout {
  const slots = SLOTS[model];
  const tail = free.length * slots.length;
  const slope = model === "1pl" && !hasFixed ? tail : -1;
  const population = hasFixed ? tail : -1;
  return {
    perItem: slots.length,
    slots,
    tail,
    slope,
    population,
    size: tail + (slope < 0 ? 0 : 1) + (hasFixed ? 2 : 0),
  };
}

/** Writes a vector into the curves of the items that are estimated, and into the population. */
export function unpack(x: Float64Array, { free, model }: Problem, layout: Layout, curves: Curves): void {
  const { perItem, slope, population } = layout;
  for (let f = 0, at = 0; f < free.length; f++, at += perItem) {
    const i = free[f]!;
    if (model === "1pl") {
      if (slope >= 0) curves.a[i] = x[slope]!;
      curves.b[i] = x[at]!;
      continue;
    }
    curves.a[i] = x[at]!;
    curves.b[i] = x[at + 1]!;
    if (perItem > 2) curves.g[i] = Math.exp(x[at + 2]!);
    if (perItem > 3) curves.k[i] = Math.exp(x[at + 3]!);
  }
  if (population >= 0) {
    curves.mean = x[population]!;
    curves.sd = Math.exp(x[population + 1]!);
  }
}
