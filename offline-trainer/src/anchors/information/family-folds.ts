import type { RandomSource } from "anchoreval/core";

/**
 * Folds of whole families, the largest dealt first, each to the smallest fold; of single models where all are one family.
 * @param families - family of every model
 * @returns fold of every model, from 0
 */
export function familyFolds(families: ArrayLike<number>, folds: number, random: RandomSource): Int32Array {
  const all = Array.from(families);
  const groups = new Set(all).size > 1 ? all : all.map((_, m) => m);
  const members = new Map<number, number[]>();
  groups.forEach((group, m) => members.set(group, [...(members.get(group) ?? []), m]));
  const ordered = random.shuffle([...members.values()]).sort((x, y) => y.length - x.length);
  const counts = new Array<number>(Math.min(folds, ordered.length)).fill(0);
  const out = new Int32Array(all.length);
  for (const own of ordered) {
    const fold = counts.indexOf(Math.min(...counts));
    counts[fold]! += own.length;
    for (const m of own) out[m] = fold;
  }
  return out;
}
