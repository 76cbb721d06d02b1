import { groupBy } from "anchoreval/internal/logs/run-log";
import type { ItemInfo } from "./response-matrix.ts";

/** In what items are the same: content hash, text, or text but for its numbers. */
export type Sameness = "content" | "text" | "numbers";

/** Items that say the same. */
export interface TextGroup {
  readonly sameness: Sameness;
  /** Indices, ascending; at least two. */
  readonly items: readonly number[];
}

/** Characters of a text that tells an item from others: "Which is true?" is the stem of many. */
const LEAST_LENGTH = 20;

/**
 * Groups of items with the same content hash, else the same text, else the same text but for its numbers. Texts are
 * compared in Unicode's compatibility form, in lower case, with one space for any white space.
 * A group of a finer kind isn't listed again as one of a coarser.
 */
export function sameTexts(items: readonly ItemInfo[]): TextGroup[] {
  const texts = items.map(({ text }) => comparable(text));
  const kinds: [Sameness, (item: number) => string | null][] = [
    ["content", (i) => items[i]!.hash ?? null],
    ["text", (i) => texts[i]!],
    ["numbers", (i) => texts[i]?.replace(/\d+([.,]\d+)*/g, "#") ?? null],
  ];
  const seen = new Set<string>();
  return kinds.flatMap(([sameness, keyOf]) => {
    const groups = groupBy(items.keys(), keyOf);
    groups.delete(null);
    return [...groups.values()].flatMap((group): TextGroup[] => {
      const name = group.join();
      if (group.length < 2 || seen.has(name)) return [];
      seen.add(name);
      return [{ sameness, items: group }];
    });
  });
}

/** Groups of items that say the very same: content or text, not text but for its numbers. Indices, ascending. */
export function copiedItems(items: readonly ItemInfo[]): (readonly number[])[] {
  return sameTexts(items).flatMap(({ sameness, items: group }) => (sameness === "numbers" ? [] : [group]));
}

/** A text as it is compared; null where there is none, or too little of it. */
function comparable(text: string | undefined): string | null {
  const plain = text?.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim();
  return plain !== undefined && plain.length >= LEAST_LENGTH ? plain : null;
}
