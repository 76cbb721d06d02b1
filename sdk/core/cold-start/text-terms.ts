/** Letters, their marks, digits and the underscore, two of them at least: as scikit-learn's, in any script. */
const WORD = /[\p{L}\p{M}\p{N}_]{2,}/gu;

const SURROGATE = /[\ud800-\udfff]/;

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
    const padded = ` ${word} `;
    // Units are code points but for surrogates, and a slice of a text is far cheaper than one of a list.
    const characters = SURROGATE.test(padded) ? Array.from(padded) : padded;
    for (let size = shortest; size <= longest; size++) {
      terms.push(run(characters, 0, size));
      if (size >= characters.length) break;
      for (let k = 1; k + size <= characters.length; k++) terms.push(run(characters, k, size));
    }
  }
  return terms;
}

function run(characters: string | string[], begin: number, size: number): string {
  const part = characters.slice(begin, begin + size);
  return typeof part === "string" ? part : part.join("");
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
