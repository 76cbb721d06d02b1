import type { ItemInfo, ResponseMatrix } from "./response-matrix.ts";

/** The matrix with its cells in memory that threads share instead of copying it, and without the items' texts. */
export function sharedMatrix({ subjects, items, scores, observed }: ResponseMatrix): ResponseMatrix {
  const bytes = observed && new Uint8Array(new SharedArrayBuffer(observed.length));
  bytes?.set(observed!);
  const memory = new SharedArrayBuffer(scores.byteLength);
  const shared = scores instanceof Uint8Array ? new Uint8Array(memory) : new Float32Array(memory);
  shared.set(scores);
  return { subjects, items: items.map(withoutText), scores: shared, observed: bytes };
}

function withoutText(item: ItemInfo): ItemInfo {
  const { text, ...rest } = item;
  return text === undefined ? item : rest;
}
