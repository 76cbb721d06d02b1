import { splitByGroups } from "./interpolation.ts";
import type { Split, SplitInput } from "./types.ts";

/**
 * The newest quarter of the models are targets, as the tinyBenchmarks notebooks have it; a source that replicates a
 * target is dropped.
 * @param dates - any sortable text, one a model; without them the file's last rows are the newest
 */
export function newestSplit(input: SplitInput, dates: readonly string[] | null, share = 0.25): Split {
  const count = input.groups.length;
  const order = Array.from({ length: count }, (_, m) => m);
  if (dates) order.sort((x, y) => (dates[x]! < dates[y]! ? -1 : dates[x]! > dates[y]! ? 1 : x - y));
  const newest = new Set(order.slice(count - Math.max(1, Math.round(share * count))));
  const { sources } = splitByGroups(input, new Set([...newest].map((m) => input.groups[m]!)));
  return { sources, targets: [...newest].filter((m) => input.eligible[m]).sort((x, y) => x - y) };
}
