import { logit } from "anchoreval/core";
import type { Layout } from "./layout.ts";
import type { WeakPrior } from "./priors.ts";
import type { Problem } from "./problem.ts";

/**
 * Where the search begins: a = 1, b from the item's share of right answers (half an answer added either way), asymptotes
 * where their priors are highest. Discriminations begin positive in all models; the data carry
 * those of mislabelled items over 0.
 */
export function startingPoint(problem: Problem, layout: Layout, priors: readonly WeakPrior[]): Float64Array {
  const { free, signSums, answerSums } = problem;
  const { perItem, slots, slope } = layout;
  const x = new Float64Array(layout.size);
  for (let f = 0; f < free.length; f++) {
    const i = free[f]!;
    const share = (0.5 * (answerSums[i]! + signSums[i]!) + 0.5) / (answerSums[i]! + 1);
    for (let p = 0; p < perItem; p++) {
      const slot = slots[p]!;
      x[f * perItem + p] = slot === 0 ? 1 : slot === 1 ? -logit(share) : priors[slot]!.mean;
    }
  }
  if (slope >= 0) x[slope] = 1;
  return x;
}
