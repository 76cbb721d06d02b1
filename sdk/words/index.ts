/**
 * Results in plain words.
 * @module anchoreval/words
 */
export { differenceWords, LEANS_ON_LIKE, leansOnLike, mcNemarWords, verdictWords } from "./result-words.ts";
export { baseWords } from "./bundle-words.ts";
export { errorWords } from "./bundle-words.ts";
export { INTERVAL_MEANING, intervalWords, placeWords, scoreWords } from "./result-words.ts";
export { count, counted, decimals, listed, percent, points, signedPoints, wholePercent } from "./figures.ts";
