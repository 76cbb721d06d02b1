import type { UntouchedRanking } from "./untouched-ranking.ts";

/** How a subset was chosen for what it says of the models' ranking. */
export interface SubsetRanking {
  /** How many there were. */
  readonly anchorModels: number;
  readonly candidates: number;
  /** Column whose proportions every candidate keeps; null where none was asked for. */
  readonly strata: string | null;
  /** What drew the chosen one. */
  readonly sampler: string;
  readonly predictor: "ridge";
  /** Rank correlation (Spearman) predicted of it, from all source models. */
  readonly predicted: number;
  /** What choosing so comes to on models that it had nothing to do with; null where there are too few. */
  readonly untouched: UntouchedRanking | null;
}
