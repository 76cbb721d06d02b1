/**
 * The finest grouping that keeps the groups of both together: replicates across two families tie these together.
 * @param left - group of every model @param right - likewise
 * @returns numbered from 0 by first appearance
 */
export function joinGroups(left: ArrayLike<number>, right: ArrayLike<number>): Int32Array {
  const parent = new Map<string, string>();
  const root = (key: string): string => {
    let at = key;
    while (parent.get(at) !== undefined && parent.get(at) !== at) at = parent.get(at)!;
    return at;
  };
  for (let m = 0; m < left.length; m++) parent.set(root(`l${left[m]}`), root(`r${right[m]}`));
  const numbers = new Map<string, number>();
  return Int32Array.from({ length: left.length }, (_, m) => {
    const own = root(`l${left[m]}`);
    if (!numbers.has(own)) numbers.set(own, numbers.size);
    return numbers.get(own)!;
  });
}
