/**
 * Results in plain words.
 * @module anchoreval/words
 */
export {
  differenceWords,
  INTERVAL_MEANING,
  intervalWords,
  LEANS_ON_LIKE,
  leansOnLike,
  mcNemarWords,
  placeWords,
  scoreWords,
  verdictWords,
} from "./result-words.ts";
export { baseWords, errorWords } from "./bundle-words.ts";
export { count, counted, decimals, listed, percent, points, signedPoints, textTable, wholePercent } from "./figures.ts";
