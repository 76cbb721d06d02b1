import { pivotalSample } from "anchoreval/internal/core/numeric/sampling";
import { byAccuracy, hardFirst, type AnchorInput, type AnchorMethod, type PreparedAnchors } from "./anchor-method.ts";
import {
  drawNested,
  drawnSizes,
  nestedAnchors,
  type NestedLevel,
  nestedLevels,
  sampledAnchors,
} from "./nested-samples.ts";

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
  prepare: (input) => stratifiedSamples(input, nestedLevels(input.weights, drawnSizes(input))),
};

/** Draws nested samples in the order of source accuracy with the levels' π. @param levels - of the {@link drawnSizes} */
export function stratifiedSamples(input: AnchorInput, levels: readonly NestedLevel[]): PreparedAnchors {
  const order = byAccuracy(input.accuracy);
  return {
    draw: (random) =>
      nestedAnchors(order, input, levels, (probabilities, size) =>
        pivotalSample(probabilities, random.fork(`size ${size}`)),
      ),
  };
}

/**
 * `random`: π proportional to the item's weight, drawn in a random order of items, so without strata. With equal
 * weights it is simple random sampling. Nested as {@link drawNested} says.
 */
export const randomItems: AnchorMethod = {
  name: "random",
  source: { module: import.meta.url, name: "randomItems" },
  drawn: true,
  estimator: "gate",
  prepare: ({ weights, accuracy, sizes }) => ({
    draw: (random) => {
      const levels = nestedLevels(weights, sizes);
      const shuffled = random.fork("order").shuffle([...weights.keys()]);
      const samples = drawNested(levels, shuffled, (probabilities, { size }) =>
        pivotalSample(probabilities, random.fork(`size ${size}`)),
      );
      return sampledAnchors(levels, samples.map(hardFirst(accuracy)), weights);
    },
  }),
};
