/** Share of different words at which a factor is complete. */
const FACTOR_SHARE = 0.72;
/** Words below which a factor is luck. */
const LEAST_WORDS = 10;

/**
 * Measure of textual lexical diversity: words in which the share of different ones falls to .72, on average, the last
 * stretch counted in proportion; mean of reading forwards and backwards. NaN of fewer than ten words, or where none
 * comes twice.
 * @see McCarthy & Jarvis (2010), Behavior Research Methods 42, 381–392
 */
export function textualDiversity(words: readonly string[]): number {
  if (words.length < LEAST_WORDS) return NaN;
  const lengths = [words, words.toReversed()].map((own) => words.length / factors(own));
  const mean = (lengths[0]! + lengths[1]!) / 2;
  return Number.isFinite(mean) ? mean : NaN;
}

/** Stretches of words in which the share of different ones falls to .72. */
function factors(words: readonly string[]): number {
  let complete = 0;
  let seen = new Set<string>();
  let length = 0;
  for (const word of words) {
    seen.add(word);
    length++;
    if (seen.size / length <= FACTOR_SHARE) {
      complete++;
      seen = new Set();
      length = 0;
    }
  }
  const left = length === 0 ? 0 : (1 - seen.size / length) / (1 - FACTOR_SHARE);
  return complete + left;
}

/** Guiraud's root type-token ratio, different words / √words: it depends less on the length than their share. NaN of none. */
export function rootTypeTokenRatio(words: readonly string[]): number {
  return words.length === 0 ? NaN : new Set(words).size / Math.sqrt(words.length);
}
