import { pivotalSample } from "anchoreval/internal/core/numeric/sampling";
import { byAccuracy, type AnchorMethod } from "./anchor-method.ts";
import { nestedAnchors } from "./nested-samples.ts";

/**
 * `stratified`: items sorted by source accuracy, cut into n strata of equal π-mass, one draw in each
 * (ordered pivotal sampling), π proportional to the item's weight. Sizes are nested: the largest is drawn from all
 * items, each smaller one from the next larger with probabilities π_small/π_large, so that every size is such a sample
 * with its own π, exactly.
 */
export const stratified: AnchorMethod = {
  name: "stratified",
  source: { module: import.meta.url, name: "stratified" },
  drawn: true,
  estimator: "gate",
  prepare: ({ weights, accuracy, sizes, coordination }) => ({
    draw: (random) =>
      nestedAnchors(
        byAccuracy(accuracy),
        weights,
        sizes,
        (probabilities, size) => pivotalSample(probabilities, random.fork(`size ${size}`)),
        coordination,
      ),
  }),
};

/**
 * `random`: π proportional to the item's weight, drawn in a random order of items, so without strata. With equal
 * weights it is simple random sampling. Nested as {@link nestedAnchors} says.
 */
export const randomItems: AnchorMethod = {
  name: "random",
  source: { module: import.meta.url, name: "randomItems" },
  drawn: true,
  estimator: "gate",
  prepare: ({ weights, accuracy, sizes }) => ({
    draw: (random) => {
      const shuffled = random.fork("order").shuffle(Array.from({ length: weights.length }, (_, i) => i));
      const { sets } = nestedAnchors(shuffled, weights, sizes, (probabilities, size) =>
        pivotalSample(probabilities, random.fork(`size ${size}`)),
      );
      const rank = new Map(byAccuracy(accuracy).map((item, position) => [item, position]));
      const sorted = [...sets].map(([size, { items, inclusion, mass }]) => {
        const order = Array.from(items.keys()).sort((x, y) => rank.get(items[x]!)! - rank.get(items[y]!)!);
        return [
          size,
          {
            items: Uint32Array.from(order, (j) => items[j]!),
            inclusion: inclusion && Float64Array.from(order, (j) => inclusion[j]!),
            mass: Float64Array.from(order, (j) => mass[j]!),
          },
        ] as const;
      });
      return { sets: new Map(sorted), nested: true };
    },
  }),
};
