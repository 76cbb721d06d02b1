import type { ItemInfo } from "../matrix/response-matrix.ts";
import type { ItemPool } from "./item-pool.ts";

/**
 * Whether joined items have the texts that the responses' items have: an item's is the same where one of its cells is that
 * text, white space aside (NFC).
 * @param items - the joined items @param answered - the responses' items, in the same order
 * @returns null where no text of the responses' items is known
 */
export function comparedTexts(
  pool: ItemPool,
  items: ArrayLike<number>,
  answered: readonly ItemInfo[],
): { same: number; other: number } | null {
  let same = 0;
  let other = 0;
  answered.forEach(({ text }, k) => {
    if (text === undefined) return;
    const wanted = plain(text);
    if (pool.table.rows[pool.rows[items[k]!]!]!.some((cell) => plain(cell) === wanted)) same++;
    else other++;
  });
  return same + other === 0 ? null : { same, other };
}

function plain(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}
