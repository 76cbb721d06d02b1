import { characterTerms, wordTerms } from "./text-terms.ts";
import { tfidfRow, type SparseRow } from "./tfidf-row.ts";

/** The two ways in which a text is taken apart: words and pairs of them, and three to five characters within words. */
export const TERM_KINDS: readonly ((text: string) => string[])[] = [
  (text) => wordTerms(text, [1, 2]),
  (text) => characterTerms(text, [3, 5]),
];

/** Terms by their hashes, with what turns a text into a few coordinates. */
export interface TextProjection {
  /** T hashes of terms, ascending ({@link termHash}). */
  readonly hashes: Uint32Array;
  /** T inverse document frequencies. */
  readonly idf: Float32Array;
  /** T×C row-major: a text's row times it is its coordinates. */
  readonly axes: Float32Array;
}

/**
 * FNV-1a of a term's UTF-16 units, apart for each of {@link TERM_KINDS}, so that a projection holds numbers for words.
 * Of a few thousand known terms, an unknown one is taken for one of them once in a million.
 * @see Fowler, Noll & Vo, IETF draft-eastlake-fnv
 */
export function termHash(kind: number, term: string): number {
  let hash = Math.imul(0x811c9dc5 ^ kind, 0x01000193);
  for (let k = 0; k < term.length; k++) {
    const unit = term.charCodeAt(k);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  return hash >>> 0;
}

/** A text's row over the known terms: one of words and one of characters, together of length 1; empty where none is known. */
export function textRow(text: string, { hashes, idf }: Pick<TextProjection, "hashes" | "idf">): SparseRow {
  const parts = TERM_KINDS.map((termsOf, kind) => {
    const known: number[] = [];
    for (const term of termsOf(text)) {
      const column = place(hashes, termHash(kind, term));
      if (column >= 0) known.push(column);
    }
    return tfidfRow(known, idf);
  }).filter(({ columns }) => columns.length > 0);
  const share = Math.sqrt(1 / Math.max(1, parts.length));
  return {
    columns: parts.flatMap(({ columns }) => columns),
    values: parts.flatMap(({ values }) => values.map((value) => share * value)),
  };
}

/** A text's coordinates, its row times the axes; null where it has no known term. @returns C numbers */
export function textCoordinates(text: string, projection: TextProjection): Float64Array | null {
  const { hashes, axes } = projection;
  const width = axes.length / hashes.length;
  const { columns, values } = textRow(text, projection);
  if (columns.length === 0) return null;
  const coordinates = new Float64Array(width);
  for (let k = 0; k < columns.length; k++) {
    const value = values[k]!;
    const from = columns[k]! * width;
    for (let c = 0; c < width; c++) coordinates[c] = coordinates[c]! + value * axes[from + c]!;
  }
  return coordinates;
}

/** Where a number stands in an ascending list, or −1. */
function place(list: Uint32Array, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return list[low] === value ? low : -1;
}
