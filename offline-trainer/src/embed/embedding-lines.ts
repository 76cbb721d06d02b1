import { csvCell } from "../ingest/write-wide-csv.ts";
import type { TextVectors } from "./text-vectors.ts";

/** Significant digits that tell any two float32 apart. */
const DIGITS = 9;

/** JSON lines of `item_id` and `embedding`. */
export function* embeddingJsonLines(ids: readonly string[], vectors: TextVectors): Generator<string, void, undefined> {
  for (const [i, id] of ids.entries()) yield `${JSON.stringify({ item_id: id, embedding: row(vectors, i) })}\n`;
}

/** CSV, a row an item, under a header `item_id,0,1,…`. */
export function* embeddingCsvLines(ids: readonly string[], vectors: TextVectors): Generator<string, void, undefined> {
  yield `${["item_id", ...Array(vectors.width).keys()].join(",")}\n`;
  for (const [i, id] of ids.entries()) yield `${[csvCell(id), ...row(vectors, i)].join(",")}\n`;
}

function row({ width, values }: TextVectors, i: number): number[] {
  return Array.from(values.subarray(i * width, (i + 1) * width), (value) => Number(value.toPrecision(DIGITS)));
}
