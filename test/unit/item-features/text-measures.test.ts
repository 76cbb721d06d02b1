import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rootTypeTokenRatio, textualDiversity } from "../../../offline-trainer/src/item-features/lexical-diversity.ts";
import { colemanLiau, readingEase, syllables } from "../../../offline-trainer/src/item-features/readability.ts";
import { textColumns } from "../../../offline-trainer/src/item-features/text-columns.ts";
import {
  damagedShare,
  openBrackets,
  repeatedShare,
  unusualShare,
} from "../../../offline-trainer/src/item-features/text-quality.ts";
import { textParts } from "../../../offline-trainer/src/item-features/words.ts";
import { readFixture } from "../../support/fixture.ts";

describe("textParts", () => {
  test.each([
    ["It's 3.5 km. Really?", ["it's", "3.5", "km", "really"], 2],
    ['He said: "Go home." She went', ["he", "said", "go", "home", "she", "went"], 2],
    ["Version 2.10 is out", ["version", "2.10", "is", "out"], 1],
    ["Wait... what?!", ["wait", "what"], 2],
    ["Это дом. Он стар.", ["это", "дом", "он", "стар"], 2],
    ["well-known naïve café", ["well-known", "naïve", "café"], 1],
    ["…", [], 1],
    ["", [], 1],
  ])("%j", (text, words, sentences) => {
    expect(textParts(text)).toMatchObject({ words, sentences });
  });

  test("scripts without spaces have sentences and letters, and no words", () => {
    const parts = textParts("机器学习很有用。我们来看一个例子！");
    expect(parts).toMatchObject({ words: [], sentences: 2, letters: 15, latin: 0 });
    expect(textParts("The word 学 means to learn").words.length).toBeGreaterThan(4);
  });

  test("composed and decomposed letters are the same", () => {
    expect(textParts("cafe\u0301")).toEqual(textParts("café"));
  });
});

describe("readability", () => {
  test.each([
    ["cat", 1],
    ["readable", 3],
    ["table", 2],
    ["home", 1],
    ["the", 1],
    ["idea", 2],
    ["3.5", 1],
    ["rhythm", 1],
    ["éternité", 4],
  ])("%s has %d syllables", (word, count) => {
    expect(syllables(word)).toBe(count);
  });

  test("Flesch: six words of one syllable in a sentence have 116.145", () => {
    expect(readingEase(textParts("The cat sat on the mat."))).toBeCloseTo(206.835 - 1.015 * 6 - 84.6, 10);
  });

  test("Coleman and Liau: 639 letters, 119 words, 5 sentences are grade 14.5", () => {
    const words = new Array<string>(119).fill("w");
    expect(colemanLiau({ words, sentences: 5, letters: 639, latin: 1 })).toBeCloseTo(14.53, 2);
  });

  test("long words and sentences read harder by both", () => {
    const [easy, hard] = [
      "The dog ran. It was fun. We had tea.",
      "Notwithstanding considerable methodological heterogeneity, investigators demonstrated statistically significant associations.",
    ].map(textParts);
    expect(readingEase(easy!)).toBeGreaterThan(readingEase(hard!) + 100);
    expect(colemanLiau(hard!)).toBeGreaterThan(colemanLiau(easy!) + 10);
  });

  test("say nothing where they don't hold: no words, for Flesch another script", () => {
    expect(readingEase(textParts("Это старый дом."))).toBeNaN();
    expect(colemanLiau(textParts("Это старый дом."))).toBeGreaterThan(-20);
    for (const text of ["", "机器学习很有用。"])
      expect([readingEase(textParts(text)), colemanLiau(textParts(text))]).toEqual([NaN, NaN]);
  });
});

describe("lexical diversity", () => {
  const { tolerance, cases } = readFixture<{
    tolerance: number;
    cases: { words: string[]; mtld: number; root: number }[];
  }>("subsets/diversity.json");

  test.each(cases)("of $words.length words as McCarthy and Jarvis say", ({ words, mtld, root }) => {
    expect(Math.abs(textualDiversity(words) / mtld - 1)).toBeLessThan(tolerance);
    expect(Math.abs(rootTypeTokenRatio(words) / root - 1)).toBeLessThan(tolerance);
  });

  test("is none of few words, or where no word comes twice", () => {
    expect(textualDiversity("a a a a a a a a a".split(" "))).toBeNaN();
    expect(textualDiversity("a b c d e f g h i j k".split(" "))).toBeNaN();
    expect(rootTypeTokenRatio([])).toBeNaN();
  });

  test("falls as words are repeated", () => {
    const words = Array.from({ length: 120 }, (_, k) => `w${(k * 7) % 40}`);
    expect(textualDiversity(words)).toBeGreaterThan(textualDiversity(words.map((_, k) => `w${k % 5}`)));
  });
});

describe("quality", () => {
  test("plain text and formulas have nothing unusual or damaged", () => {
    const text = "Solve $x^2 + 3 = {y_1}/2$ for x > 0; then “explain” why (in 2 lines): [a, b] — ok?\n机器。";
    expect([unusualShare(text), damagedShare(text), openBrackets(text)]).toEqual([0, 0, 0]);
  });

  test.each([
    ["lost \uFFFD character", 1],
    ["cafÃ© and â€œquotesâ€", 3],
    ["bell\u0007", 1],
    ["tab\tand\nline", 0],
  ])("%j has %d damaged characters", (text, count) => {
    expect(damagedShare(text)).toBeCloseTo((100 * count) / Array.from(text).length, 12);
  });

  test.each([
    ["(a [b] {c})", 0],
    ["(a [b", 2],
    ["a) b]", 2],
    ["(]", 2],
    [":-) fine", 1],
  ])("%j has %d brackets without their other half", (text, count) => {
    expect(openBrackets(text)).toBe(count);
  });

  test("repeated phrases: runs of three words that came before", () => {
    expect(repeatedShare("a b c a b c".split(" "))).toBeCloseTo(1 / 4, 12);
    expect(repeatedShare("a b c d".split(" "))).toBe(0);
    expect(repeatedShare(["a", "b"])).toBeNaN();
  });

  test("dingbats and emoji are unusual", () => {
    expect(unusualShare("ab★☃")).toBe(0.5);
  });
});

describe("textColumns", () => {
  test("a number or nothing for any text, nothing where there is none", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const { values } of textColumns([text, undefined])) {
          expect(Math.abs(values[0]!)).not.toBe(Infinity);
          expect(values[1]).toBeNaN();
        }
      }),
    );
  });

  test("every measure has its name once", () => {
    const names = textColumns(["One text."]).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(8);
  });
});
