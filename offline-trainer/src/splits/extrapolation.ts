import { sha256Text } from "anchoreval/bundle";
import type { Split, SplitInput } from "./types.ts";

/**
 * Sources are the weakest half by score, targets the strongest 30 %; ties by hashed name. A source that replicates a
 * target is dropped.
 * @param scores - full scores; models without one are sources' neighbours of nobody, and left out
 */
export function extrapolationSplit(
  input: SplitInput & { readonly scores: ArrayLike<number>; readonly names: readonly string[] },
): Split {
  const { scores, names, groups, eligible } = input;
  const hash = names.map((name) => sha256Text(name));
  const ranked = Array.from({ length: names.length }, (_, m) => m)
    .filter((m) => !Number.isNaN(scores[m]!))
    .sort((x, y) => scores[x]! - scores[y]! || (hash[x]! < hash[y]! ? -1 : 1));
  const weakest = ranked.slice(0, Math.floor(ranked.length / 2));
  const strongest = ranked.slice(ranked.length - Math.round(0.3 * ranked.length)).filter((m) => eligible[m]);
  const held = new Set(strongest.map((m) => groups[m]!));
  const ascending = (x: number, y: number): number => x - y;
  return { sources: weakest.filter((m) => !held.has(groups[m]!)).sort(ascending), targets: strongest.sort(ascending) };
}
