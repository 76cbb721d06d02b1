/** Runs of letters with their marks, apostrophes and hyphens inside, or of digits. */
const WORD = /[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|\p{N}+(?:[.,]\p{N}+)*/gu;
/** What ends a sentence, with quotes and brackets that close behind it, before white space or the end; in Han text at once. */
const SENTENCE_END = /[.!?…।؟۔]+["'”’)\]]*(?=\s|$)|[。！？]+["'”’」』）]*/gu;
/** Scripts written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/gu;
const LATIN = /\p{Script=Latin}/gu;
const LETTER = /\p{L}/gu;

/** A text taken apart as readability formulas do. */
export interface TextParts {
  /** Words in lower case, numbers among them; none of scripts without spaces between words. */
  readonly words: readonly string[];
  /** At least 1. */
  readonly sentences: number;
  readonly letters: number;
  /** Share of the letters that are Latin; 0 without letters. */
  readonly latin: number;
}

/**
 * Words, sentences and letters of a text in NFC. Text that is for the most part in scripts without spaces has no words
 * here: what stands between two spaces would be a clause.
 * @example textParts("It's 3.5 km. Really?").words // ["it's", "3.5", "km", "really"]
 */
export function textParts(text: string): TextParts {
  const plain = text.normalize("NFC");
  const count = (pattern: RegExp): number => plain.match(pattern)?.length ?? 0;
  const letters = count(LETTER);
  const spaced = 2 * count(UNSPACED) <= letters;
  const ends = [...plain.matchAll(SENTENCE_END)];
  const last = ends.at(-1);
  const rest = last === undefined ? plain : plain.slice(last.index + last[0].length);
  return {
    words: spaced ? (plain.toLowerCase().match(WORD) ?? []) : [],
    sentences: Math.max(1, ends.length + (/[\p{L}\p{N}]/u.test(rest) ? 1 : 0)),
    letters,
    latin: letters === 0 ? 0 : count(LATIN) / letters,
  };
}
