import { AnchorEvalError, type RandomSource } from "anchoreval/core";
import { modelFamilies } from "../audit/model-families.ts";
import { scoreAt, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { TARGET_OBSERVED } from "../splits/eligible.ts";
import { familyGroups, LEAST_FAMILIES } from "../splits/families.ts";
import { folds } from "../splits/interpolation.ts";
import type { Split } from "../splits/types.ts";

/** Parts of the families that are held out in turn; each takes two calibrations. */
const CHECK_FOLDS = 4;

/** Models that forms are checked on, or why they can't be. */
export type HeldOutModels =
  | { readonly splits: readonly Split[]; readonly models: number; readonly families: number }
  | { readonly reason: string };

/**
 * Models held out in parts of whole families, replicates together. Those are checked that have answered 98 % of the items
 * at least; all others are learned from alone.
 * @param columns - of the matrix: the items that count
 * @param table - family by model; where it has none, the name tells
 */
export function heldOutModels(
  matrix: ResponseMatrix,
  columns: Uint32Array,
  table: ReadonlyMap<string, string> | undefined,
  random: RandomSource,
): HeldOutModels {
  try {
    familyGroups(matrix.subjects, table);
  } catch (error) {
    if (error instanceof AnchorEvalError) return { reason: error.message };
    throw error;
  }
  const groups = modelFamilies(matrix, table);
  const eligible = matrix.subjects.map((_, m) => {
    const missing = columns.reduce((sum, column) => sum + Number(Number.isNaN(scoreAt(matrix, m, column))), 0);
    return missing <= (1 - TARGET_OBSERVED) * columns.length;
  });
  const models = eligible.filter(Boolean).length;
  const families = new Set(groups.filter((_, m) => eligible[m])).size;
  if (families < LEAST_FAMILIES)
    return {
      reason: `${models} models of ${families} ${families === 1 ? "family" : "families"} have answered ${100 * TARGET_OBSERVED} % of the items, and ${LEAST_FAMILIES} families are needed`,
    };
  return { splits: folds({ groups, eligible }, CHECK_FOLDS, random), models, families };
}
