/** Where items' information is looked at: at the source models' abilities, or on an even grid between them. */
export const INFORMATION_GRIDS = ["sources", "even"] as const;
export type InformationGrid = (typeof INFORMATION_GRIDS)[number];

/**
 * What an ability is estimated from: all answers, as their posterior mode; or how many of them are right, as the mean of
 * the posterior given that. A smooth curve of the latter is one of the anchors' mean.
 */
export const ABILITY_SCORES = ["map", "eap-sum"] as const;
export type AbilityScore = (typeof ABILITY_SCORES)[number];

/** How anchors are chosen by their information, and read. */
export interface AnchorDesign {
  readonly grid: InformationGrid;
  /** Bins of the abilities for every anchor that is wanted. */
  readonly binsPerAnchor: number;
  /**
   * Largest information in its bin that an item must have, in logit⁻²; what is then lacking is spread evenly over the items
   * by accuracy. Null: no item is chosen by its information.
   */
  readonly threshold: number | null;
  readonly score: AbilityScore;
}

/** Where nothing is searched. */
export const DEFAULT_DESIGN: AnchorDesign = { grid: "even", binsPerAnchor: 1, threshold: 0, score: "map" };
