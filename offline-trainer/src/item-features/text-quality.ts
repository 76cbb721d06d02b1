/** Letters, marks, numbers, white space and the punctuation of plain text and formulas. */
const USUAL = /[\p{L}\p{M}\p{N}\s.,;:!?'"“”‘’«»„()[\]{}<>/\\@#$%&*+=^_~|`…–—\-।。、，：；？！「」『』（）]/u;
/** The replacement character, controls but white space, private use, and UTF-8 read as Latin-1. */
const DAMAGED = /\uFFFD|(?!\s)\p{Cc}|\p{Co}|[ÃÂ][\u0080-\u00BF]|â€/gu;
const BRACKETS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
/** Words of a phrase. */
const PHRASE = 3;

/** Share of characters that plain text doesn't have; NaN of an empty text. */
export function unusualShare(text: string): number {
  const characters = Array.from(text);
  return characters.filter((character) => !USUAL.test(character)).length / characters.length;
}

/** Characters in a hundred that no writer meant: lost or mistaken encodings. NaN of an empty text. */
export function damagedShare(text: string): number {
  return (100 * (text.match(DAMAGED)?.length ?? 0)) / Array.from(text).length;
}

/** Brackets without their other half. */
export function openBrackets(text: string): number {
  const open: string[] = [];
  let lonely = 0;
  for (const character of text) {
    if (Object.values(BRACKETS).includes(character)) open.push(character);
    else if (character in BRACKETS) {
      if (open.at(-1) === BRACKETS[character]) open.pop();
      else lonely++;
    }
  }
  return lonely + open.length;
}

/** Share of the runs of three words that came before; NaN of fewer words. */
export function repeatedShare(words: readonly string[]): number {
  const phrases = words.slice(PHRASE - 1).map((_, k) => words.slice(k, k + PHRASE).join(" "));
  return 1 - new Set(phrases).size / phrases.length;
}
