import { sideBySide, unitRows, type SparseRows } from "../spectral/sparse-rows.ts";
import { characterTerms, wordTerms } from "./text-terms.ts";
import { learnTerms, tfidfRows } from "./tfidf.ts";

/** What questions are compared by: rows of length 1, or 0 where nothing is known of a question. */
export interface QuestionFeatures {
  readonly train: SparseRows;
  readonly test: SparseRows;
}

/** Two ways to take a text apart: words and pairs of them, and three to five characters within words. */
const TERMS: readonly ((text: string) => string[])[] = [
  (text) => wordTerms(text, [1, 2]),
  (text) => characterTerms(text, [3, 5]),
];

/**
 * Texts by TF-IDF of words and of characters, each half of a row's square length. Terms and their frequencies are those
 * of the train texts alone.
 */
export function textFeatures(train: readonly string[], test: readonly string[]): QuestionFeatures {
  const [words, characters] = TERMS.map((termsOf) => {
    const own = train.map(termsOf);
    const weights = learnTerms(own);
    return { train: tfidfRows(own, weights), test: tfidfRows(test.map(termsOf), weights) };
  });
  return {
    train: unitRows(sideBySide(words!.train, characters!.train)),
    test: unitRows(sideBySide(words!.test, characters!.test)),
  };
}
