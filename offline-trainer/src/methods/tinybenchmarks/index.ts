import { DEFAULT_SETTINGS } from "../settings.ts";
import { irtKmeans } from "../kmeans/index.ts";
import type { Method } from "../method.ts";

/**
 * Clusters of items in the space of their parameters, and λ between their weighted mean and p-IRT by the notebooks' rule;
 * their six sizes. Every scenario has an ability of its own.
 * @see Maia Polo et al. (2024), tinyBenchmarks, ICML
 */
export const tinybenchmarks: Method = {
  name: "tinybenchmarks",
  summary: "k-means on item parameters, gp-IRT with the notebooks' λ",
  settings: {
    ...DEFAULT_SETTINGS,
    selection: "irt-kmeans",
    estimator: "gp-irt",
    lambda: "reference",
    linked: false,
  },
  anchors: irtKmeans,
  sizes: [10, 15, 20, 30, 50, 100],
};
