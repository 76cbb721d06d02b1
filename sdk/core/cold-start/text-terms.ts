/** Letters, their marks, digits and the underscore, two of them at least: as scikit-learn's, in any script. */
const WORD = /[\p{L}\p{M}\p{N}_]{2,}/gu;

/**
 * Words and runs of words of a text in lower case and Unicode's composed form (NFC). A word has two characters or more;
 * scripts without spaces have few words, and are told apart by {@link characterTerms}.
 * @param sizes - shortest and longest run, in words
 * @returns terms as often as they stand there, words of a run joined by a space
 * @example wordTerms("Is it a Trap?", [1, 2]) // ["is", "it", "trap", "is it", "it trap"]
 */
export function wordTerms(text: string, [shortest, longest]: readonly [number, number]): string[] {
  const words = folded(text).match(WORD) ?? [];
  const terms: string[] = [];
  for (let size = shortest; size <= longest; size++)
    for (let k = 0; k + size <= words.length; k++) terms.push(words.slice(k, k + size).join(" "));
  return terms;
}

/**
 * Runs of characters (code points) inside the words of a text, each word between spaces: scikit-learn's `char_wb`. A word
 * shorter than a run counts once, whole.
 * @param sizes - shortest and longest run, in code points
 * @example characterTerms("To be", [3, 3]) // [" to", "to ", " be", "be "]
 */
export function characterTerms(text: string, [shortest, longest]: readonly [number, number]): string[] {
  const terms: string[] = [];
  for (const word of folded(text).split(/\s+/u)) {
    if (word === "") continue;
    const characters = Array.from(` ${word} `);
    for (let size = shortest; size <= longest; size++) {
      terms.push(characters.slice(0, size).join(""));
      if (size >= characters.length) break;
      for (let k = 1; k + size <= characters.length; k++) terms.push(characters.slice(k, k + size).join(""));
    }
  }
  return terms;
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
