/**
 * Results in plain words.
 * @module anchoreval/words
 */
export { differenceWords, LEANS_ON_LIKE, leansOnLike, mcNemarWords, verdictWords } from "./comparison-words.ts";
export { baseWords } from "./base-words.ts";
export { errorWords } from "./error-words.ts";
export { INTERVAL_MEANING, intervalWords, placeWords, scoreWords } from "./estimate-words.ts";
export { count, counted, decimals, listed, percent, points, signedPoints, wholePercent } from "./figures.ts";
export { textTable } from "./text-table.ts";
