import type { Curves } from "./curves.ts";
import type { Problem } from "./problem.ts";

/**
 * The vector that is searched: of every item to estimate its parameters in the order a, b, log g, log k as far as the
 * model has them, then the 1PL's common slope.
 */
export interface Layout {
  /** Parameters of an item. */
  readonly perItem: number;
  /** Which of the four (a, b, log g, log k) those are. */
  readonly slots: readonly number[];
  /** Where the common slope would begin: free items times `perItem`. */
  readonly tail: number;
  /** Where the slope stands, or −1 where each item has its own. */
  readonly slope: number;
  readonly size: number;
}

const SLOTS = { "1pl": [1], "2pl": [0, 1], "3pl": [0, 1, 2], "4pl": [0, 1, 2, 3] } as const;

export function parameterLayout({ model, free }: Problem): Layout {
  const slots = SLOTS[model];
  const tail = free.length * slots.length;
  const slope = model === "1pl" ? tail : -1;
  return {
    perItem: slots.length,
    slots,
    tail,
    slope,
    size: tail + (slope < 0 ? 0 : 1),
  };
}

/** Writes a vector into the items' curves. */
export function unpack(x: Float64Array, { free, model }: Problem, layout: Layout, curves: Curves): void {
  const { perItem, slope } = layout;
  for (let f = 0, at = 0; f < free.length; f++, at += perItem) {
    const i = free[f]!;
    if (model === "1pl") {
      curves.a[i] = x[slope]!;
      curves.b[i] = x[at]!;
      continue;
    }
    curves.a[i] = x[at]!;
    curves.b[i] = x[at + 1]!;
    if (perItem > 2) curves.g[i] = Math.exp(x[at + 2]!);
    if (perItem > 3) curves.k[i] = Math.exp(x[at + 3]!);
  }
}
