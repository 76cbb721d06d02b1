import type { FeatureColumn } from "../anchors/sublime/item-features.ts";
import { rootTypeTokenRatio, textualDiversity } from "./lexical-diversity.ts";
import { colemanLiau, readingEase } from "./readability.ts";
import { damagedShare, openBrackets, repeatedShare, unusualShare } from "./text-quality.ts";
import { textParts, type TextParts } from "./words.ts";

/** What is told of a text: difficulty by length and readability, quality by words, signs and repetition. */
const MEASURES: Readonly<Record<string, (parts: TextParts, text: string) => number>> = {
  length: (_, text) => Math.log1p(Array.from(text).length),
  "sentence length": ({ words, sentences }) => (words.length === 0 ? NaN : words.length / sentences),
  "reading ease": readingEase,
  "grade level": colemanLiau,
  "numbers in words": ({ words }) => words.filter((word) => /^\p{N}/u.test(word)).length / words.length,
  "lexical diversity": ({ words }) => textualDiversity(words),
  "type-token ratio": ({ words }) => rootTypeTokenRatio(words),
  "unusual characters": (_, text) => unusualShare(text),
  "damaged characters": (_, text) => damagedShare(text),
  "open brackets": (_, text) => openBrackets(text),
  "repeated phrases": ({ words }) => repeatedShare(words),
};

/** All measures of all texts; NaN where there is no text, or where a measure says nothing of it. */
export function textColumns(texts: readonly (string | undefined)[]): FeatureColumn[] {
  const parts = texts.map((text) => (text === undefined ? null : textParts(text)));
  return Object.entries(MEASURES).map(([name, measure]) => ({
    name,
    values: Float64Array.from(texts, (text, i) => (parts[i] ? measure(parts[i], text!) : NaN)),
  }));
}
