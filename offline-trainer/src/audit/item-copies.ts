import type { BankAudit } from "./audit-bank.ts";
import type { AnswerLikeness } from "./near-copies.ts";
import type { Sameness, TextGroup } from "../matrix/same-text.ts";

/** Two items of which one may be enough. */
export interface ItemCopy {
  /** Columns, the smaller first. */
  readonly items: readonly [number, number];
  /** In what their texts are the same; null where they aren't, or aren't known. */
  readonly sameness: Sameness | null;
  /** How alike their answers are; null where they were not calibrated together. */
  readonly likeness: Omit<AnswerLikeness, "items"> | null;
  /** Estimated share of chance among the pairs that are answered at least as much alike; null where the text decides. */
  readonly chance: number | null;
}

/** Two items with the same text. */
export interface TextPair {
  readonly items: readonly [number, number];
  readonly sameness: Sameness;
}

/** Items of one text of which all pairs are looked at; of more, those with the first. */
const LARGEST_GROUP = 10;
/** Texts that differ in numbers alone may come from an honest template: their answers must be alike by this z. */
const LEAST_TEMPLATE_Z = 2;

/** Pairs of items with the same text, each once, by the finest kind of sameness. */
export function textPairs(groups: readonly TextGroup[]): TextPair[] {
  const known = new Set<string>();
  return groups.flatMap(({ sameness, items }) => {
    const firsts = items.length > LARGEST_GROUP ? items.slice(0, 1) : items;
    return firsts.flatMap((one, k) =>
      items.slice(k + 1).flatMap((other): TextPair[] => {
        if (known.has(`${one},${other}`)) return [];
        known.add(`${one},${other}`);
        return [{ items: [one, other], sameness }];
      }),
    );
  });
}

/**
 * Brings together what texts and answers say of copies: pairs with the same content or text, pairs whose text differs in
 * numbers and that are answered alike, and pairs that are answered alike beyond what chance does.
 * @param banks - with the likeness of the text pairs that lie within them
 * @returns the same content first, then the same text, then by z
 */
export function itemCopies(
  texts: readonly TextPair[],
  banks: readonly { readonly begin: number; readonly audit: Pick<BankAudit, "copies" | "likeness"> }[],
): ItemCopy[] {
  const key = (items: readonly [number, number]): string => items.join();
  const found = new Map<string, ItemCopy>(
    texts.map(({ items, sameness }) => [key(items), { items, sameness, likeness: null, chance: null }]),
  );
  for (const { begin, audit } of banks) {
    const alike = [...audit.likeness.map((own) => ({ ...own, chance: null })), ...audit.copies.pairs];
    for (const { items, chance, ...likeness } of alike) {
      const placed = [begin + items[0], begin + items[1]] as const;
      const sameness = found.get(key(placed))?.sameness ?? null;
      found.set(key(placed), { items: placed, sameness, likeness, chance });
    }
  }
  const order = (copy: ItemCopy): number => ["content", "text"].indexOf(copy.sameness ?? "") + 1 || 3;
  const z = ({ likeness }: ItemCopy): number => likeness?.z ?? -Infinity;
  return [...found.values()]
    .filter((copy) => order(copy) < 3 || copy.chance !== null || z(copy) >= LEAST_TEMPLATE_Z)
    .sort((x, y) => order(x) - order(y) || z(y) - z(x) || x.items[0] - y.items[0] || x.items[1] - y.items[1]);
}
