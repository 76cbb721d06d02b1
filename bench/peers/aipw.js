// AIPW (Zhang, Dorner & Hardt 2025, arXiv 2506.07673): random items; for each target, ridge regression of its answers
// on the sources' answers to the same items (α = 10, an intercept) predicts the items that it wasn't asked.
import { cholesky, choleskySolve } from "./linear.js";
import { randomItems } from "./source.js";

const ALPHA = 10;

/** ȳ + (mean prediction of the unseen − mean prediction of the seen) / (1 + n/(N−n)), as the paper and its code have it now. */
export const aipw = {
  name: "aipw",
  label: "AIPW",
  forms: 10,
  fit(source, n, random) {
    return imputed(source, n, random, 1 / (1 + n / (source.items - n)));
  },
};

/**
 * The code's first release: mean prediction of the unseen + mean residual of the seen / (1 + n/(N−n)). The residuals of
 * a regression with an intercept sum to zero, so that it is the mean prediction of the unseen items alone.
 */
export const aipwFirst = {
  name: "aipw-first",
  label: "AIPW, first release of its code",
  forms: 10,
  fit(source, n, random) {
    return imputed(source, n, random, 1);
  },
};

/** ȳ + share · (mean prediction of the unseen − ȳ): linear in the answers, so that one solution serves all targets. */
function imputed({ models, items: count, scores }, n, random, share) {
  const items = randomItems(count, n, random);
  const asked = new Uint8Array(count);
  for (const i of items) asked[i] = 1;
  const centre = new Float64Array(models);
  const gap = new Float64Array(models); // mean of the unseen − mean of the seen, by source
  for (let m = 0; m < models; m++) {
    let unseen = 0;
    for (let i = 0; i < count; i++)
      if (asked[i] === 1) centre[m] += scores[m * count + i] / n;
      else unseen += scores[m * count + i] / (count - n);
    gap[m] = unseen - centre[m];
  }
  const line = (k, m) => scores[m * count + items[k]] - centre[m];
  const kernel = new Float64Array(n * n);
  const toward = new Float64Array(n);
  for (let m = 0; m < models; m++)
    for (let k = 0; k < n; k++) {
      const left = line(k, m);
      toward[k] += left * gap[m];
      for (let j = 0; j <= k; j++) kernel[k * n + j] += left * line(j, m);
    }
  for (let k = 0; k < n; k++) kernel[k * n + k] += ALPHA;
  const weights = choleskySolve(cholesky(kernel, n), n, toward);
  return {
    items,
    predict(answers) {
      const mean = answers.reduce((sum, answer) => sum + answer, 0) / n;
      return mean + share * answers.reduce((sum, answer, k) => sum + weights[k] * (answer - mean), 0);
    },
  };
}
