import type { HeldOutEstimate } from "./held-out.ts";

/**
 * What is learned without the fold of an estimate: without the models that the fold holds out, in whichever fold they
 * were. Learned when first asked for, once a fold.
 * @param estimates - all that were held out
 * @param learn - given the models to leave out
 */
export function withoutFold<Learned>(
  estimates: readonly HeldOutEstimate[],
  learn: (held: ReadonlySet<number>) => Learned,
): (estimate: Pick<HeldOutEstimate, "fold">) => Learned {
  const known = new Map<number, { readonly learned: Learned }>();
  return ({ fold }) => {
    let own = known.get(fold);
    if (own === undefined) {
      const held = new Set(estimates.filter((other) => other.fold === fold).map(({ model }) => model));
      own = { learned: learn(held) };
      known.set(fold, own);
    }
    return own.learned;
  };
}
