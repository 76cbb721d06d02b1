import type { RandomSource } from "anchoreval/core";

/** Source models that maps are fitted on, and those that subsets are judged by. Positions among the source models. */
export interface InnerSplit {
  readonly fitted: readonly number[];
  readonly judging: readonly number[];
}

/**
 * Holds out a share of the source models, whole families together, and leaves one family at least. Where all are one
 * family they are split without it; a single model is on both sides.
 * @param families - family of every source model
 * @param share - of the models that judge; more by a part of the last family taken
 */
export function innerSplit(families: ArrayLike<number>, share: number, random: RandomSource): InnerSplit {
  const models = Array.from(families, (_, m) => m);
  if (models.length === 1) return { fitted: models, judging: models };
  const several = new Set(Array.from(families)).size > 1;
  const groups = several ? Array.from(families) : models;
  const wanted = Math.max(1, Math.round(share * models.length));
  const held = new Set<number>();
  let count = 0;
  for (const group of random.shuffle([...new Set(groups)]).slice(0, -1)) {
    if (count >= wanted) break;
    held.add(group);
    count += groups.filter((own) => own === group).length;
  }
  return {
    fitted: models.filter((m) => !held.has(groups[m]!)),
    judging: models.filter((m) => held.has(groups[m]!)),
  };
}
