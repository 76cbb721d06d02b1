import type { TextParts } from "./words.ts";

const VOWELS = /[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿ]+/g;

/**
 * Syllables of an English word, about: runs of vowels, but for a silent e at its end (not -le after a consonant); at least
 * one. Numbers count as one.
 * @example syllables("readable") // 3
 */
export function syllables(word: string): number {
  const runs = word.match(VOWELS)?.length ?? 0;
  const silent = /[^aeiouy]e$/.test(word) && !/[^aeiouy]le$/.test(word);
  return Math.max(1, runs - (silent ? 1 : 0));
}

/**
 * Flesch's reading ease, 206.835 − 1.015·W/S − 84.6·Y/W for W words, S sentences and Y syllables: high is easy, English
 * prose lies between 0 and 100. Weights and syllables are English; of text that is for the most part in another script it
 * is NaN, of other languages in Latin script it orders texts and no more.
 * @see Flesch (1948), Journal of Applied Psychology 32, 221–233
 */
export function readingEase({ words, sentences, latin }: TextParts): number {
  if (words.length === 0 || latin < 0.5) return NaN;
  const spoken = words.reduce((sum, word) => sum + syllables(word), 0);
  return 206.835 - (1.015 * words.length) / sentences - (84.6 * spoken) / words.length;
}

/**
 * Coleman and Liau's grade, .0588·L − .296·S − 15.8 for L letters and S sentences in a hundred words: high is hard. It
 * counts letters, so that it orders texts in any alphabet; NaN without words.
 * @see Coleman & Liau (1975), Journal of Applied Psychology 60, 283–284
 */
export function colemanLiau({ words, sentences, letters }: TextParts): number {
  if (words.length === 0) return NaN;
  return 0.0588 * ((100 * letters) / words.length) - 0.296 * ((100 * sentences) / words.length) - 15.8;
}
