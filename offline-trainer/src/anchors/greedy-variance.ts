import { answerFeatures, type CurveFeatures } from "./curve-features.ts";
import { byAccuracy, equalShares, excluding, type AnchorMethod } from "./anchor-method.ts";

/**
 * `greedy-variance`: one item at a time, the one that most lowers the variance of the full score that is left open
 * ({@link greedyItems}), under the response model and what the source models' answers add to it
 * ({@link answerFeatures}). A purposive choice without a draw: the same sources have the same anchors. Each anchor
 * stands for the same share. Smaller sizes are the first items of the larger.
 */
export const greedyVariance: AnchorMethod = {
  name: "greedy-variance",
  source: { module: import.meta.url, name: "greedyVariance" },
  drawn: false,
  estimator: "stack",
  second: true,
  prepare: (input) => {
    const { weights, accuracy, sizes } = input;
    const order = byAccuracy(accuracy);
    const features = answerFeatures(input);
    const chosen = greedyItems(features, weights, order, Math.max(...sizes));
    const setOf = equalShares(accuracy);
    const sets = new Map(sizes.map((size) => [size, setOf(chosen.slice(0, size))]));
    const second = (size: number): number[] =>
      greedyItems(features, weights, excluding(order, chosen.slice(0, size)), size);
    return {
      draw: () => ({ sets, nested: true }),
      second: () => new Map(sizes.map((size) => [size, setOf(second(size))])),
    };
  },
};

/**
 * Items in the order in which they are chosen: each time the one with the largest Cov(y_i, S | y_A)²/Var(y_i | y_A), by
 * which its answer lowers the variance of the full score S, over what it costs. Ties by position.
 * @param weights - item weights w, summing to 1
 * @param among - items that may be chosen
 * @param count - how many, at most all of these
 * @param costs - of all items, above 0; none: all the same
 * @see Krause, Singh & Guestrin (2008), JMLR 9, 235–284
 */
export function greedyItems(
  features: CurveFeatures,
  weights: Float64Array,
  among: readonly number[],
  count: number,
  costs?: Float64Array,
): number[] {
  const { variance, covariance, answer } = openVariances(features, weights);
  const left = new Set([...among].sort((x, y) => x - y));
  return Array.from({ length: count }, () => {
    let best = -1;
    let most = -1;
    for (const i of left) {
      const gain = covariance[i]! ** 2 / variance[i]! / (costs ? costs[i]! : 1);
      if (gain > most) [best, most] = [i, gain];
    }
    left.delete(best);
    answer(best);
    return best;
  });
}

/** Var(y_i) and Cov(y_i, S) given the items answered so far: none at first, then one more with every `answer`. */
function openVariances({ count, width, loadings, noise }: CurveFeatures, weights: Float64Array) {
  const product = (z: Float64Array, i: number): number => {
    let sum = 0;
    for (let k = 0; k < width; k++) sum += z[k]! * loadings[i * width + k]!;
    return sum;
  };
  const row = (i: number): Float64Array => loadings.subarray(i * width, (i + 1) * width);
  const total = new Float64Array(width);
  for (let i = 0; i < count; i++) row(i).forEach((z, k) => (total[k]! += weights[i]! * z));
  const variance = noise.map((value, i) => value + product(row(i), i));
  const covariance = noise.map((value, i) => weights[i]! * value + product(total, i));
  // Rows of Cholesky's factor of the covariance, the answered items first.
  const answered: Float64Array[] = [];
  return {
    variance,
    covariance,
    answer: (item: number): void => {
      const root = Math.sqrt(variance[item]!);
      const itemRow = row(item);
      const column = new Float64Array(count);
      for (let i = 0; i < count; i++) column[i] = product(itemRow, i) + (i === item ? noise[i]! : 0);
      for (const earlier of answered) {
        const at = earlier[item]!;
        for (let i = 0; i < count; i++) column[i]! -= at * earlier[i]!;
      }
      const share = covariance[item]! / root;
      for (let i = 0; i < count; i++) {
        column[i]! /= root;
        variance[i]! -= column[i]! ** 2;
        covariance[i]! -= share * column[i]!;
      }
      answered.push(column);
    },
  };
}
