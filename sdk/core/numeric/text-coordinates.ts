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
    const columns: number[] = [];
    for (const term of termsOf(text)) {
      const column = place(hashes, termHash(kind, term));
      if (column >= 0) columns.push(column);
    }
    return tfidfRow(columns, idf);
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

/** Letters, their marks, digits and the underscore, two of them at least: as scikit-learn's, in any script. */
const WORD = /[\p{L}\p{M}\p{N}_]{2,}/gu;

const SURROGATE = /[\ud800-\udfff]/;

/**
 * Words and runs of words of a text in lower case and Unicode's composed form (NFC). A word has two characters or more;
 * scripts without spaces have few words, and are told apart by {@link characterTerms}.
 * @param sizes - shortest and longest run, in words
 * @returns terms as often as they stand there, words of a run joined by a space
 * @example wordTerms("Is it a Trap?", [1, 2]) // ["is", "it", "trap", "is it", "it trap"]
 */
export function wordTerms(text: string, [shortest, longest]: readonly [number, number]): string[] {
  const words = folded(text).match(WORD) ?? [];
  const terms: string[] = [];
  for (let size = shortest; size <= longest; size++)
    for (let k = 0; k + size <= words.length; k++) terms.push(words.slice(k, k + size).join(" "));
  return terms;
}

/**
 * Runs of characters (code points) inside the words of a text, each word between spaces: scikit-learn's `char_wb`. A word
 * shorter than a run counts once, whole.
 * @param sizes - shortest and longest run, in code points
 * @example characterTerms("To be", [3, 3]) // [" to", "to ", " be", "be "]
 */
export function characterTerms(text: string, [shortest, longest]: readonly [number, number]): string[] {
  const terms: string[] = [];
  for (const word of folded(text).split(/\s+/u)) {
    if (word === "") continue;
    const padded = ` ${word} `;
    // Units are code points but for surrogates, and a slice of a text is far cheaper than one of a list.
    const characters = SURROGATE.test(padded) ? Array.from(padded) : padded;
    for (let size = shortest; size <= longest; size++) {
      terms.push(run(characters, 0, size));
      if (size >= characters.length) break;
      for (let k = 1; k + size <= characters.length; k++) terms.push(run(characters, k, size));
    }
  }
  return terms;
}

function run(characters: string | string[], begin: number, size: number): string {
  const part = characters.slice(begin, begin + size);
  return typeof part === "string" ? part : part.join("");
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Columns of a sparse row, ascending, with their values. */
export interface SparseRow {
  readonly columns: readonly number[];
  readonly values: readonly number[];
}

/**
 * A text's row (1 + ln f)·idf over known terms, f the term's count in the text, of length 1; empty where none is known.
 * @param columns - of the text's known terms, as often as they stand there
 * @see Salton & Buckley (1988), Information Processing & Management 24, 513–523
 */
export function tfidfRow(columns: readonly number[], idf: ArrayLike<number>): SparseRow {
  const sorted = Uint32Array.from(columns).sort();
  const kept: number[] = [];
  const weights: number[] = [];
  let squares = 0;
  for (let begin = 0, end = 0; begin < sorted.length; begin = end) {
    const column = sorted[begin]!;
    while (end < sorted.length && sorted[end] === column) end++;
    const weight = (1 + Math.log(end - begin)) * idf[column]!;
    kept.push(column);
    weights.push(weight);
    squares += weight ** 2;
  }
  const length = Math.sqrt(squares);
  return { columns: kept, values: weights.map((weight) => weight / length) };
}
