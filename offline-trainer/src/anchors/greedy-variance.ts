import { answerFeatures, type CurveFeatures } from "./curve-features.ts";
import { ROW_LANES, rowProducts, vectorMemory } from "../numeric/vectors.ts";
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
  const padded = ROW_LANES * Math.ceil(features.width / ROW_LANES);
  const memory = vectorMemory([features.count * padded, padded, features.count]);
  try {
    const rows = memory.float64(features.count * padded);
    const [z, column] = [memory.float64(padded), memory.float64(features.count)];
    const { variance, covariance, answer } = openVariances(features, weights, { rows, z, column });
    const left = [...among].sort((x, y) => x - y);
    return Array.from({ length: count }, () => {
      let best = 0;
      let most = -1;
      for (let k = 0; k < left.length; k++) {
        const i = left[k]!;
        const gain = covariance[i]! ** 2 / variance[i]! / (costs ? costs[i]! : 1);
        if (gain > most) [best, most] = [k, gain];
      }
      const [item] = left.splice(best, 1);
      answer(item!);
      return item!;
    });
  } finally {
    memory.release();
  }
}

/**
 * Var(y_i) and Cov(y_i, S) given the items answered so far: none at first, then one more with every `answer`.
 * @param room - zeros of one memory: rows of loadings, padded to z's length, and a column of the items
 */
function openVariances(
  { count, width, loadings, noise }: CurveFeatures,
  weights: Float64Array,
  { rows, z, column }: Readonly<Record<"rows" | "z" | "column", Float64Array>>,
) {
  const padded = z.length;
  for (let i = 0; i < count; i++) rows.set(loadings.subarray(i * width, (i + 1) * width), i * padded);
  const variance = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let square = noise[i]!;
    for (let k = 0, at = i * padded; k < width; k++, at++) {
      square += rows[at]! ** 2;
      z[k]! += weights[i]! * rows[at]!;
    }
    variance[i] = square;
  }
  rowProducts(rows, z, column);
  const covariance = column.map((value, i) => value + weights[i]! * noise[i]!);
  // Rows of Cholesky's factor of the covariance, the answered items first.
  const answered: Float64Array[] = [];
  return {
    variance,
    covariance,
    answer: (item: number): void => {
      const root = Math.sqrt(variance[item]!);
      z.set(rows.subarray(item * padded, (item + 1) * padded));
      rowProducts(rows, z, column);
      column[item]! += noise[item]!;
      for (const earlier of answered) {
        const at = earlier[item]!;
        for (let i = 0; i < count; i++) column[i]! -= at * earlier[i]!;
      }
      const share = covariance[item]! / root;
      const factor = new Float64Array(count);
      for (let i = 0; i < count; i++) {
        const value = (factor[i] = column[i]! / root);
        variance[i]! -= value ** 2;
        covariance[i]! -= share * value;
      }
      answered.push(factor);
    },
  };
}
