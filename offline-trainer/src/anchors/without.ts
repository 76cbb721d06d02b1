/** Items that aren't among some others, in their order. */
export function without(items: Iterable<number>, taken: Iterable<number>): number[] {
  const others = new Set(taken);
  return [...items].filter((item) => !others.has(item));
}
