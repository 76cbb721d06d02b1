import type { RandomSource } from "anchoreval/core";
import type { Split, SplitInput } from "./types.ts";

/** A random quarter of the models are targets, replicates together; the same quarter for every scenario. */
export function interpolationSplit(input: SplitInput, random: RandomSource, share = 0.25): Split {
  const wanted = Math.max(1, Math.round(share * input.groups.length));
  const held = new Set<number>();
  let count = 0;
  for (const group of shuffledGroups(input, random)) {
    if (count >= wanted) break;
    held.add(group);
    count += sizeOf(input, group);
  }
  return splitByGroups(input, held);
}

/** The models dealt into k parts, each held out once, replicates together. */
export function folds(input: SplitInput, k: number, random: RandomSource): Split[] {
  const parts = Array.from({ length: k }, () => ({ groups: new Set<number>(), count: 0 }));
  for (const group of shuffledGroups(input, random)) {
    const smallest = parts.reduce((least, part) => (part.count < least.count ? part : least));
    smallest.groups.add(group);
    smallest.count += sizeOf(input, group);
  }
  return parts
    .map((part) => splitByGroups(input, part.groups))
    .filter((split) => split.targets.length > 0 && split.sources.length > 0);
}

function shuffledGroups({ groups }: SplitInput, random: RandomSource): number[] {
  return random.shuffle([...new Set(Array.from(groups))]);
}

function sizeOf({ groups }: SplitInput, group: number): number {
  let count = 0;
  for (let m = 0; m < groups.length; m++) if (groups[m] === group) count++;
  return count;
}

/** Held-out groups give the targets; the rest are sources. A model of a held-out group that can't be a target is neither. */
export function splitByGroups({ groups, eligible }: SplitInput, held: ReadonlySet<number>): Split {
  const sources: number[] = [];
  const targets: number[] = [];
  for (let m = 0; m < groups.length; m++) {
    if (!held.has(groups[m]!)) sources.push(m);
    else if (eligible[m]) targets.push(m);
  }
  return { sources, targets };
}
