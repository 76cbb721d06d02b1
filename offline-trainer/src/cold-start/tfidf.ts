import { tfidfRow } from "anchoreval/core";
import { sparseRows, type SparseRows } from "../numeric/sparse-rows.ts";

/** Fewest texts that a term stands in. */
export const FEWEST_TEXTS = 2;

/** Smoothed inverse document frequency of a term in `count` of n texts, ln((1 + n)/(1 + count)) + 1. */
export function inverseFrequency(texts: number, count: number): number {
  return Math.log((1 + texts) / (1 + count)) + 1;
}

/** Terms with their weights, learned from some texts. */
export interface TermWeights {
  /** Column of every term; terms sorted by their UTF-16 code units. */
  readonly columns: ReadonlyMap<string, number>;
  /** {@link inverseFrequency} of every term. */
  readonly idf: Float64Array;
}

/**
 * Learns the terms that stand in two texts or more, and their smoothed inverse document frequencies.
 * @param texts - each by its terms, repeated ones too
 * @see Salton & Buckley (1988), Information Processing & Management 24, 513–523
 */
export function learnTerms(texts: readonly (readonly string[])[]): TermWeights {
  const counts = new Map<string, number>();
  for (const terms of texts) for (const term of new Set(terms)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const known = [...counts].filter(([, count]) => count >= FEWEST_TEXTS).sort(([x], [y]) => (x < y ? -1 : 1));
  return {
    columns: new Map(known.map(([term], column) => [term, column])),
    idf: Float64Array.from(known, ([, count]) => inverseFrequency(texts.length, count)),
  };
}

/**
 * Texts as rows (1 + ln f)·idf over the learned terms, f the term's count in the text, each of length 1; a text without
 * a known term is a row of zeros.
 */
export function tfidfRows(texts: readonly (readonly string[])[], { columns, idf }: TermWeights): SparseRows {
  const rows = texts.map((terms) => {
    const row = tfidfRow(
      terms.flatMap((term) => columns.get(term) ?? []),
      idf,
    );
    return row.columns.map((column, k): [number, number] => [column, row.values[k]!]);
  });
  return sparseRows(rows, columns.size);
}
