import { TERM_KINDS } from "anchoreval/core";
import { sideBySide, unitRows, type SparseRows } from "../numeric/sparse-rows.ts";
import { learnTerms, tfidfRows } from "./tfidf.ts";

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
