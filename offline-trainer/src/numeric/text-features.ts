import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import {
  TERM_KINDS,
  termHash,
  textCoordinates,
  textRow,
  tfidfRow,
  type TextProjection,
} from "anchoreval/internal/core/numeric/text-coordinates";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import { principalAxes } from "./principal-axes.ts";
import { sideBySide, sparseRows, unitRows, type SparseRows } from "./sparse-rows.ts";

/** Features that questions are compared by: rows of length 1, or 0 where nothing is known of a question. */
export interface QuestionFeatures {
  readonly train: SparseRows;
  readonly test: SparseRows;
}

/** The texts of items. @throws AnchorEvalError `invalid_data` naming the items without one */
export function itemTexts(items: readonly { readonly item_id: string; readonly text?: string }[]): string[] {
  const missing = items.flatMap(({ item_id: id, text }) => (text === undefined || text.trim() === "" ? [id] : []));
  if (missing.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${missing.length} ${missing.length === 1 ? "question has" : "questions have"} no text: ${firstFew(missing)}`,
    );
  return items.map(({ text }) => text!);
}

/**
 * TF-IDF of words and of characters, each contributing half of a row's squared length. Terms and their frequencies are
 * learned from the train texts only.
 */
export function textFeatures(train: readonly string[], test: readonly string[]): QuestionFeatures {
  const [words, characters] = TERM_KINDS.map((termsOf) => {
    const terms = train.map(termsOf);
    const weights = learnTerms(terms);
    return { train: tfidfRows(terms, weights), test: tfidfRows(test.map(termsOf), weights) };
  });
  return {
    train: unitRows(sideBySide(words!.train, characters!.train)),
    test: unitRows(sideBySide(words!.test, characters!.test)),
  };
}

/**
 * Learns the terms that appear in two texts or more, and their smoothed inverse document frequencies.
 * @see Salton & Buckley (1988), Information Processing & Management 24, 513–523
 */
export function learnTerms(texts: readonly (readonly string[])[]) {
  const seen = frequentTerms(texts).sort(([x], [y]) => (x < y ? -1 : 1));
  return {
    /** Column of every term; terms sorted by their UTF-16 code units. */
    columns: new Map(seen.map(([term], column) => [term, column])),
    idf: Float64Array.from(seen, ([, count]) => inverseFrequency(texts.length, count)),
  };
}

/**
 * Texts as rows (1 + ln f)·idf over the learned terms, f the term's count in the text, each of length 1; a text without
 * a known term is a row of zeros.
 */
export function tfidfRows(
  texts: readonly (readonly string[])[],
  { columns, idf }: ReturnType<typeof learnTerms>,
): SparseRows {
  const rows = texts.map((terms) => {
    const seen = terms.flatMap((term) => columns.get(term) ?? []);
    const row = tfidfRow(seen, idf);
    return row.columns.map((column, k): [number, number] => [column, row.values[k]!]);
  });
  return sparseRows(rows, columns.size);
}

/** Smoothed inverse document frequency of a term in `count` of n texts, ln((1 + n)/(1 + count)) + 1. */
function inverseFrequency(texts: number, count: number): number {
  return Math.log((1 + texts) / (1 + count)) + 1;
}

/** Terms that appear in two texts or more, with the number of these. */
function frequentTerms<Term>(texts: Iterable<readonly Term[]>): [Term, number][] {
  const counts = new Map<Term, number>();
  for (const terms of texts) for (const term of new Set(terms)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1);
}

/** Terms that a bundle keeps, and coordinates of a text: 8192 × 64 numbers are 2.1 MB. */
export const PROJECTION = { terms: 8192, width: 64 } as const;

/**
 * Learns to project texts onto a few coordinates: the terms that appear in most texts, by their hashes, and the leading
 * principal axes of the texts' rows over them. Coordinates aren't centred; a scenario centres its own.
 * @returns float32, as a bundle keeps it
 * @throws AnchorEvalError `invalid_data` for texts that don't distinguish items
 */
export function learnProjection(
  texts: readonly string[],
  { terms, width }: { readonly terms: number; readonly width: number },
  random: RandomSource,
): TextProjection {
  const kept = frequentTerms(hashedTexts(texts))
    .sort(([x, often], [y, seldom]) => seldom - often || x - y)
    .slice(0, terms)
    .sort(([x], [y]) => x - y);
  const dictionary = {
    hashes: Uint32Array.from(kept, ([hash]) => hash),
    idf: Float32Array.from(kept, ([, count]) => inverseFrequency(texts.length, count)),
  };
  const rows = texts.map((text) => {
    const { columns, values } = textRow(text, dictionary);
    return columns.map((column, k): [number, number] => [column, values[k]!]).sort(([x], [y]) => x - y);
  });
  const { axes, rank } = principalAxes(sparseRows(rows, kept.length), width, random);
  if (rank === 0)
    throw new AnchorEvalError(
      "invalid_data",
      "the answered items' texts have no term in common, or are all the same: there is nothing to compare items by",
    );
  return { ...dictionary, axes: Float32Array.from(axes) };
}

/** Text by text: all terms of a leaderboard's items at once would fill gigabytes. */
function* hashedTexts(texts: readonly string[]): Generator<number[]> {
  for (const text of texts)
    yield TERM_KINDS.flatMap((termsOf, kind) => termsOf(text).map((term) => termHash(kind, term)));
}

/** Coordinates of texts, count×C row-major; zeros for a text without a known term. */
export function projectTexts(texts: readonly string[], projection: TextProjection): Float64Array {
  const width = projection.axes.length / projection.hashes.length;
  const coordinates = new Float64Array(texts.length * width);
  texts.forEach((text, i) => coordinates.set(textCoordinates(text, projection) ?? [], i * width));
  return coordinates;
}
