/** Where a model's full score lies against those of the source models. */
export type ScoreRange = "inside" | "edge" | "outside";

/** inside below .05, edge up to .5, outside above. */
export function scoreRange(probability: { above: number; below: number }): ScoreRange {
  const total = probability.above + probability.below;
  return total < 0.05 ? "inside" : total <= 0.5 ? "edge" : "outside";
}

/** Share of source models with a lower full score (ties count half), in [0,1]. */
export function percentile(score: number, sourceScores: ArrayLike<number>): number {
  let below = 0;
  for (let i = 0; i < sourceScores.length; i++)
    below += sourceScores[i]! < score ? 1 : sourceScores[i]! === score ? 0.5 : 0;
  return below / sourceScores.length;
}
