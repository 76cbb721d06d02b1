import { DEFAULT_CONFIGURATION, type FitConfiguration } from "./configuration.ts";

/** A way to fit that has a name: what this project recommends, a published method as it is done here, or a baseline. */
export interface Recipe {
  /** One line of help. */
  readonly summary: string;
  readonly configuration: FitConfiguration;
  /** Anchors a scenario where none are asked for. */
  readonly sizes?: readonly number[];
  /** Anchors of all scenarios together where none are asked for. @default those of `sizes` that every scenario can share */
  readonly totals?: readonly number[];
}

/** Published methods and the default, by name. */
export const RECIPE_NAMES = ["recommended", "random", "tinybenchmarks", "essence", "metabench", "sublime"] as const;

/** A published method, or the default. */
export type RecipeName = (typeof RECIPE_NAMES)[number];

/** Every recipe by its name. Options given beside a recipe override its fields. */
export const RECIPES: Readonly<Record<RecipeName, Recipe>> = {
  recommended: { summary: "the default", configuration: DEFAULT_CONFIGURATION },
  /** What all others are measured against: the mean score on items drawn at random. */
  random: {
    summary: "the mean of random items",
    configuration: { ...DEFAULT_CONFIGURATION, selection: "random", estimator: "anchor-mean", linked: false },
  },
  /**
   * Clusters of items in the space of their parameters, and λ between their weighted mean and p-IRT by the notebooks'
   * rule; their six sizes. Every scenario has an ability of its own.
   * @see Maia Polo et al. (2024), tinyBenchmarks, ICML
   */
  tinybenchmarks: {
    summary: "k-means on item parameters, gp-IRT with the notebooks' λ",
    configuration: {
      ...DEFAULT_CONFIGURATION,
      selection: "irt-kmeans",
      estimator: "gp-irt",
      lambda: "reference",
      linked: false,
    },
    sizes: [10, 15, 20, 30, 50, 100],
  },
  /** @see EssenceBench, arXiv 2510.10457 */
  essence: {
    summary: "coarse filter and genetic search for the subset whose mean tells most",
    configuration: { ...DEFAULT_CONFIGURATION, selection: "essence", estimator: "score-map" },
  },
  /**
   * Items that are informative over the abilities, and an additive model of their mean, the ability and the other
   * scenarios'.
   * @see Kipnis et al. (2025), metabench, ICLR
   */
  metabench: {
    summary: "screening, the most informative items, an additive model of scores and abilities",
    configuration: {
      ...DEFAULT_CONFIGURATION,
      selection: "fisher-information",
      estimator: "score-map",
      scoreMap: "additive",
      irtModel: "2pl",
      estimation: "marginal",
      dims: 1,
      search: 16,
    },
  },
  /** @see Saranathan et al. (2025), SubLIME, ACL */
  sublime: {
    summary: "of many candidate subsets the one with the best predicted rank correlation",
    configuration: { ...DEFAULT_CONFIGURATION, selection: "sublime" },
  },
};
