// Random-Sampling-Learn and Random-Search-Learn (Zhang, Dorner & Hardt 2025): ridge regression of the sources' full
// scores on their answers to n items.
import { cholesky, choleskySolve, linearScore, ridgeCv } from "./linear.js";
import { centredProducts, columnMeans, columnsOf, randomItems } from "./source.js";

export const ridge = {
  name: "ridge",
  label: "ridge, random items → full score",
  forms: 10,
  fit: (source, n, random) => learned(source, randomItems(source.items, n, random)),
};

function learned(source, items) {
  const fitted = ridgeCv(columnsOf(source, items), source.full, items.length);
  return { items, predict: (answers) => linearScore(fitted, answers) };
}

/** Sets of items whose penalty is chosen; the one chosen most often stands for the others while searching. */
const PENALTY_SETS = 20;

/**
 * The best of many random sets of items, by the error on a quarter of the sources of ridge regression on the others;
 * learned again on all of them. Published with 10 000 sets, and the penalty chosen anew for each.
 */
export function randomSearch(searches) {
  return {
    name: "random-search",
    label: `random search (${searches} sets) + ridge`,
    forms: 1,
    fit(source, n, random) {
      const order = random.shuffle(Array.from({ length: source.models }, (_, m) => m));
      const cut = Math.floor(0.75 * source.models);
      const training = order.slice(0, cut);
      const held = order.slice(cut);
      const gap = candidateError(source, training, held, penalty(source, training, n, random));
      let best = null;
      for (let search = 0; search < searches; search++) {
        const items = randomItems(source.items, n, random);
        const error = gap(items);
        if (best === null || error < best.error) best = { items, error };
      }
      return learned(source, best.items);
    },
  };
}

function penalty(source, training, n, random) {
  const full = training.map((m) => source.full[m]);
  const votes = new Map();
  for (let set = 0; set < PENALTY_SETS; set++) {
    const items = randomItems(source.items, n, random);
    const { alpha } = ridgeCv(columnsOf(source, items, training), full, n);
    votes.set(alpha, (votes.get(alpha) ?? 0) + 1);
  }
  return [...votes].sort((x, y) => y[1] - x[1] || x[0] - y[0])[0][0];
}

/** Mean absolute error on the held-out sources, for any items: products of all pairs of columns are summed once. */
function candidateError(source, training, held, alpha) {
  const { items: count, scores, full } = source;
  const products = centredProducts(source, training);
  const centre = columnMeans(scores, count, training);
  const level = training.reduce((sum, m) => sum + full[m], 0) / training.length;
  const toward = new Float64Array(count);
  for (const m of training)
    for (let i = 0; i < count; i++) toward[i] += (scores[m * count + i] - centre[i]) * (full[m] - level);
  return (items) => {
    const n = items.length;
    const system = new Float64Array(n * n);
    const weights = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      const row = items[k] * count;
      for (let j = 0; j <= k; j++) system[k * n + j] = products[row + items[j]];
      system[k * n + k] += alpha;
      weights[k] = toward[items[k]];
    }
    choleskySolve(cholesky(system, n), n, weights);
    let error = 0;
    for (const m of held) {
      let score = level;
      for (let k = 0; k < n; k++) score += weights[k] * (scores[m * count + items[k]] - centre[items[k]]);
      error += Math.abs(score - full[m]) / held.length;
    }
    return error;
  };
}
