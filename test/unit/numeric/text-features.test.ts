import { describe, expect, test } from "vitest";
import type { SparseRows } from "../../../offline-trainer/src/numeric/sparse-rows.ts";
import { learnTerms, textFeatures, tfidfRows } from "../../../offline-trainer/src/numeric/text-features.ts";
import { characterTerms, wordTerms } from "anchoreval/internal/core/numeric/text-coordinates";
import { largestDifference, readFixture } from "../../support/fixture.ts";

interface Fixture {
  readonly tolerance: { readonly absolute: number };
  readonly train: readonly string[];
  readonly test: readonly string[];
  readonly cases: readonly {
    readonly name: "words" | "characters";
    readonly terms: readonly string[];
    readonly idf: readonly number[];
    readonly train: readonly (readonly number[])[];
    readonly test: readonly (readonly number[])[];
  }[];
}

const fixture = readFixture<Fixture>("sklearn/tfidf.json");
const TERMS_OF = {
  words: (text: string) => wordTerms(text, [1, 2]),
  characters: (text: string) => characterTerms(text, [3, 5]),
};

function dense({ count, width, starts, columns, values }: SparseRows): Float64Array {
  const all = new Float64Array(count * width);
  for (let i = 0; i < count; i++)
    for (let k = starts[i]!; k < starts[i + 1]!; k++) all[i * width + columns[k]!] = values[k]!;
  return all;
}

describe.each(fixture.cases)("TF-IDF of $name", ({ name, terms, idf, train, test: fresh }) => {
  const termsOf = TERMS_OF[name];
  const weights = learnTerms(fixture.train.map(termsOf));

  test("learns scikit-learn's terms and their frequencies", () => {
    expect(new Set(weights.columns.keys())).toEqual(new Set(terms));
    const own = terms.map((term) => weights.idf[weights.columns.get(term)!]!);
    expect(largestDifference(own, idf)).toBeLessThan(fixture.tolerance.absolute);
  });

  test.each([
    ["texts that it learned from", fixture.train, train],
    ["other texts, one of them empty", fixture.test, fresh],
  ] as const)("has scikit-learn's rows for %s", (_, texts, expected) => {
    const rows = dense(tfidfRows(texts.map(termsOf), weights));
    const order = terms.map((term) => weights.columns.get(term)!);
    const own = texts.flatMap((__, i) => order.map((column) => rows[i * terms.length + column]!));
    expect(largestDifference(own, expected.flat())).toBeLessThan(fixture.tolerance.absolute);
  });
});

test("the same letters composed and decomposed are the same words", () => {
  expect(wordTerms("cafe\u0301 na\u00efve", [1, 1])).toEqual(wordTerms("caf\u00e9 nai\u0308ve", [1, 1]));
  expect(wordTerms("हिन्दी में", [1, 1])).toEqual(["हिन्दी", "में"]);
});

test("features of a question have length 1, or 0 where nothing of it is known", () => {
  const { train, test: fresh } = textFeatures(["one two three", "two three four"], ["three", "", "xyzzy"]);
  const lengths = ({ count, starts, values }: SparseRows): number[] =>
    Array.from({ length: count }, (_, i) =>
      values.subarray(starts[i], starts[i + 1]).reduce((sum, value) => sum + value ** 2, 0),
    );
  for (const length of lengths(train)) expect(length).toBeCloseTo(1, 12);
  expect(lengths(fresh)[0]).toBeCloseTo(1, 12);
  expect(lengths(fresh).slice(1)).toEqual([0, 0]);
});
