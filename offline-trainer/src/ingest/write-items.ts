import type { ItemInfo } from "../matrix/response-matrix.ts";
import { writeText } from "./gzip-file.ts";

const FIELDS = ["item_id", "scenario", "subscenario", "text", "hash", "task", "doc_id"] as const;

/**
 * Writes descriptions of items as JSON lines, gzip where the name ends in .gz; fields other than an item's own are left
 * out, and the same items give the same bytes.
 * @example await writeItems("items.jsonl.gz", matrix.items)
 */
export async function writeItems(path: string, items: readonly ItemInfo[]): Promise<void> {
  await writeText(path, itemLines(items));
}

function* itemLines(items: readonly ItemInfo[]): Generator<string, void, undefined> {
  for (const item of items) yield `${JSON.stringify(item, [...FIELDS])}\n`;
}
