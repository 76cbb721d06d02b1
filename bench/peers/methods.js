import { aipw, aipwFirst } from "./aipw.js";
import { doubleOptimize } from "./double-optimize.js";
import { lasso } from "./lasso.js";
import { randomMean, stratifiedMean } from "./means.js";
import { medoids } from "./medoids.js";
import { randomSearch, ridge } from "./ridge.js";

/**
 * The peers' methods. `fit(source, n, random)` chooses items from the sources alone and gives `{ items, predict }`:
 * `predict` makes a score of a target's answers to them. `forms` are drawn on every fit.
 */
export function peerMethods({ searches }) {
  return [randomMean, stratifiedMean, aipw, aipwFirst, ridge, randomSearch(searches), doubleOptimize, lasso, medoids];
}
