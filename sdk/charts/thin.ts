/**
 * At most `limit` of a list's elements, evenly spread over it and always the same ones.
 * @example thin([0, 1, 2, 3, 4, 5], 3) // [0, 2, 4]
 */
export function thin<T>(list: readonly T[], limit: number): T[] {
  if (list.length <= limit) return [...list];
  return Array.from({ length: limit }, (_, k) => list[Math.floor((k * list.length) / limit)]!);
}
