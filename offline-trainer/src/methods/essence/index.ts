import { DEFAULT_SETTINGS } from "../settings.ts";
import type { Method } from "../method.ts";
import { meanMaps } from "../score-maps/form-score-maps.ts";
import { essenceAnchors } from "./anchors.ts";

/** @see EssenceBench, arXiv 2510.10457 */
export const essence: Method = {
  name: "essence",
  summary: "coarse filter and genetic search for the subset whose mean tells most",
  settings: { ...DEFAULT_SETTINGS, selection: "essence", estimator: "score-map" },
  anchors: essenceAnchors,
  scoreMaps: meanMaps,
};
