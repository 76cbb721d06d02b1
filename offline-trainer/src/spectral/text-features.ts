import {
  AnchorEvalError,
  type RandomSource,
  TERM_KINDS,
  termHash,
  textCoordinates,
  type TextProjection,
  textRow,
  tfidfRow,
} from "anchoreval/core";
import { principalAxes } from "./principal-axes.ts";
import { sideBySide, type SparseRows, sparseRows, unitRows } from "./sparse-rows.ts";

/** What questions are compared by: rows of length 1, or 0 where nothing is known of a question. */
export interface QuestionFeatures {
  readonly train: SparseRows;
  readonly test: SparseRows;
}

/**
 * Texts by TF-IDF of words and of characters, each half of a row's square length. Terms and their frequencies are those
 * of the train texts alone.
 */
export function textFeatures(train: readonly string[], test: readonly string[]): QuestionFeatures {
  const [words, characters] = TERM_KINDS.map((termsOf) => {
    const own = train.map(termsOf);
    const weights = learnTerms(own);
    return { train: tfidfRows(own, weights), test: tfidfRows(test.map(termsOf), weights) };
  });
  return {
    train: unitRows(sideBySide(words!.train, characters!.train)),
    test: unitRows(sideBySide(words!.test, characters!.test)),
  };
}

/** Fewest texts that a term stands in. */
const FEWEST_TEXTS = 2;

/** Smoothed inverse document frequency of a term in `count` of n texts, ln((1 + n)/(1 + count)) + 1. */
function inverseFrequency(texts: number, count: number): number {
  return Math.log((1 + texts) / (1 + count)) + 1;
}

/** Terms with their weights, learned from some texts. */
interface TermWeights {
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

/** Terms that a bundle keeps, and coordinates of a text: 8192 × 64 numbers are 2.1 MB. */
export const PROJECTION = { terms: 8192, width: 64 } as const;

/**
 * Learns how texts become a few coordinates: the terms that stand in most texts, by their hashes, and the leading principal
 * axes of the texts' rows over them. Coordinates aren't centred; a scenario centres its own.
 * @returns float32, as a bundle keeps it
 * @throws AnchorEvalError `invalid_data` for texts that don't tell items apart
 */
export function learnProjection(
  texts: readonly string[],
  { terms, width }: { readonly terms: number; readonly width: number },
  random: RandomSource,
): TextProjection {
  // Text by text: all terms of a leaderboard's items at once would fill gigabytes.
  const counts = new Map<number, number>();
  for (const text of texts) {
    const own = new Set(TERM_KINDS.flatMap((termsOf, kind) => termsOf(text).map((term) => termHash(kind, term))));
    for (const hash of own) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const kept = [...counts]
    .filter(([, count]) => count >= FEWEST_TEXTS)
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

/** Coordinates of texts, count×C row-major; zeros for a text without a known term. */
export function projectedTexts(texts: readonly string[], projection: TextProjection): Float64Array {
  const width = projection.axes.length / projection.hashes.length;
  const coordinates = new Float64Array(texts.length * width);
  texts.forEach((text, i) => {
    const own = textCoordinates(text, projection);
    if (own) coordinates.set(own, i * width);
  });
  return coordinates;
}
