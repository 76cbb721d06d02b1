import { pivotalSample } from "anchoreval/internal/core/numeric/sampling";
import { type AnchorMethod, hardFirst } from "../anchors/anchor-method.ts";
import { drawNested, nestedLevels, sampledAnchors } from "../anchors/stratified.ts";
import type { Method } from "./method.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";

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

/** The baseline that methods are measured against: the mean of {@link randomItems}, each scenario by itself. */
export const random: Method = {
  name: "random",
  summary: "the mean of random items",
  settings: { ...DEFAULT_SETTINGS, selection: "random", estimator: "anchor-mean", linked: false },
  anchors: randomItems,
};
