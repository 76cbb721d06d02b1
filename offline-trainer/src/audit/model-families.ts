import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { replicateGroups } from "../prepare/replicates.ts";
import { familyOf } from "../splits/families.ts";

/**
 * Family of every model: of the table, else of its name; families that share a replicate are one.
 * @param table - family by model
 * @returns numbered from 0 by first appearance
 */
export function modelFamilies(matrix: ResponseMatrix, table?: ReadonlyMap<string, string>): Int32Array {
  const names = matrix.subjects.map((name) => table?.get(name) ?? familyOf(name));
  const replicates = replicateGroups(matrix);
  // The family that a family has become part of, by name.
  const parts = new Map<string, string>();
  const whole = (name: string): string => {
    let at = name;
    for (let next = parts.get(at); next !== undefined; next = parts.get(at)) at = next;
    return at;
  };
  const first = new Map<number, string>();
  names.forEach((name, m) => {
    const other = first.get(replicates[m]!);
    if (other === undefined) first.set(replicates[m]!, name);
    else if (whole(other) !== whole(name)) parts.set(whole(name), whole(other));
  });
  const numbers = new Map<string, number>();
  return Int32Array.from(names, (name) => {
    const family = whole(name);
    if (!numbers.has(family)) numbers.set(family, numbers.size);
    return numbers.get(family)!;
  });
}
