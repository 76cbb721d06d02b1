import type { AnchorMethod } from "../../offline-trainer/src/anchors/anchor-method.ts";
import { tiltedSamples } from "../../offline-trainer/src/anchors/stratified.ts";

/** A way to draw anchors that only tests know: in proportion to a measure of the items, which is its knowledge. */
export const tilted: AnchorMethod = {
  name: "tilted",
  source: { module: import.meta.url, name: "tilted" },
  drawn: true,
  estimator: "gate",
  prepare: (input) => tiltedSamples(input, input.knowledge as Float64Array),
};
