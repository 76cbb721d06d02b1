import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { replicateGroups } from "../prepare/replicates.ts";
import { familyNumbers } from "../splits/families.ts";
import { joinGroups } from "../splits/join-groups.ts";

/**
 * Family of every model: of the table, else of its name; families that share a replicate are one.
 * @param table - family by model
 * @returns numbered from 0 by first appearance
 */
export function modelFamilies(matrix: ResponseMatrix, table?: ReadonlyMap<string, string>): Int32Array {
  return joinGroups(familyNumbers(matrix.subjects, table), replicateGroups(matrix));
}
