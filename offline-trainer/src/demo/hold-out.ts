import { AnchorEvalError, type RandomSource } from "anchoreval/core";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { fullScores, type ScenarioSlice } from "../matrix/scenarios.ts";
import { replicateGroups } from "../matrix/replicates.ts";
import { eligibleTargets, interpolationSplit, type Split, TARGET_OBSERVED } from "../matrix/splits.ts";

/**
 * A quarter of the models to be estimated, the others to be fitted on; replicates of a held-out model are neither.
 * @throws AnchorEvalError `invalid_data` where no model has answered enough of every scenario
 */
export function holdOut(matrix: ResponseMatrix, slices: readonly ScenarioSlice[], random: RandomSource): Split {
  const eligible = eligibleTargets(slices.map((slice) => fullScores(matrix, slice)));
  const split = interpolationSplit({ groups: replicateGroups(matrix), eligible }, random);
  if (split.targets.length === 0 || split.sources.length < 5)
    throw new AnchorEvalError(
      "invalid_data",
      `nothing to show: ${split.sources.length} models to fit on and ${split.targets.length} to estimate; at least 5 and 1 are needed, and a held-out model must have answered ${100 * TARGET_OBSERVED} % of every scenario`,
    );
  return split;
}
