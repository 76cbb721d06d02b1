import type { ItemStatistics } from "./item-statistics.ts";

/** Models below which an item says nothing about itself. */
export const LEAST_MODELS_FOR_AUDIT = 20;

/** Answers of the rarer kind that an item needs: of fewer, each counts for too much. */
export const LEAST_RARE = 3;

export interface Suspect {
  /** Position in the scenario. */
  readonly item: number;
  readonly statistics: ItemStatistics;
  /** Strong models miss it and weak ones get it, beyond what chance does; else it tells strong from weak hardly at all. */
  readonly reversed: boolean;
}

/**
 * Items whose correlation with the rest isn't clearly above zero: r < 2/√M, twice the spread of r without any relation.
 * Items that nearly every model gets or misses are left out, the worst stands first.
 */
export function suspectItems(statistics: readonly ItemStatistics[]): Suspect[] {
  return statistics
    .map((own, item): Suspect => ({ item, statistics: own, reversed: own.correlation <= -margin(own) }))
    .filter(({ statistics: own }) => {
      const rare = Math.min(own.mean, 1 - own.mean) * own.models;
      return own.models >= LEAST_MODELS_FOR_AUDIT && rare >= LEAST_RARE && own.correlation < margin(own);
    })
    .sort((one, other) => one.statistics.correlation - other.statistics.correlation || one.item - other.item);
}

function margin({ models }: ItemStatistics): number {
  return 2 / Math.sqrt(models);
}
