import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import { type AnchorMethod, byAccuracy, hardFirst } from "../anchors/anchor-method.ts";
import { tellingItems } from "../anchors/telling-items.ts";

/** Anchor sets of items chosen on purpose, without inclusion probabilities, each standing for the same share. */
export function equalShares(accuracy: Float64Array): (items: Iterable<number>) => AnchorSet {
  const sorted = hardFirst(accuracy);
  return (chosen) => {
    const items = Uint32Array.from(sorted(chosen));
    return { items, inclusion: null, mass: new Float64Array(items.length).fill(1 / items.length) };
  };
}

/** Items that aren't among some others, in their order. */
export function excluding(items: Iterable<number>, taken: Iterable<number>): number[] {
  const others = new Set(taken);
  return [...items].filter((item) => !others.has(item));
}

/**
 * `greedy-variance`: one item at a time, the one that most lowers the variance of the full score that is left open
 * ({@link tellingItems}), under the response model and what the source models' answers add to it
 * (`answerFeatures`). A purposive choice without a draw: the same sources have the same anchors. Each anchor
 * stands for the same share. Smaller sizes are the first items of the larger.
 */
export const greedyVariance: AnchorMethod = {
  name: "greedy-variance",
  source: { module: import.meta.url, name: "greedyVariance" },
  drawn: false,
  estimator: "stack",
  second: true,
  prepare: (input) => {
    const { accuracy, sizes } = input;
    const order = byAccuracy(accuracy);
    const chosen = tellingItems(input, order, Math.max(...sizes));
    const setOf = equalShares(accuracy);
    const sets = new Map(sizes.map((size) => [size, setOf(chosen.slice(0, size))]));
    const second = (size: number): number[] => tellingItems(input, excluding(order, chosen.slice(0, size)), size);
    return {
      draw: () => ({ sets, nested: true }),
      second: () => new Map(sizes.map((size) => [size, setOf(second(size))])),
    };
  },
};
