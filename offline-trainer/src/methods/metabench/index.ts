import { DEFAULT_SETTINGS } from "../settings.ts";
import type { Method } from "../method.ts";
import { additiveMaps } from "../score-maps/form-score-maps.ts";
import { informationAnchors } from "./anchors.ts";
import { informationDesign } from "./design-search.ts";

/**
 * Items that are informative over the abilities, and an additive model of their mean, the ability and the other
 * scenarios'.
 * @see Kipnis et al. (2025), metabench, ICLR
 */
export const metabench: Method = {
  name: "metabench",
  summary: "screening, the most informative items, an additive model of scores and abilities",
  settings: {
    ...DEFAULT_SETTINGS,
    selection: "fisher-information",
    estimator: "score-map",
    scoreMap: "additive",
    irtModel: "2pl",
    estimation: "marginal",
    dims: 1,
    search: 16,
  },
  authorsModels: 5000,
  anchors: informationAnchors,
  designSearch: informationDesign,
  scoreMaps: additiveMaps,
};
