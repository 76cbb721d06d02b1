import { answerFeatures, answerWidth, type CurveFeatures } from "./curve-features.ts";
import { ROW_LANES, rowProducts, vectorMemory } from "../numeric/vectors.ts";
import { type AnchorInput, byAccuracy, equalShares, excluding, type AnchorMethod } from "./anchor-method.ts";

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
    const { accuracy, sizes } = input;
    const order = byAccuracy(accuracy);
    const chosen = tellingItems(input, order, Math.max(...sizes));
    const setOf = equalShares(accuracy);
    const sets = new Map(sizes.map((size) => [size, setOf(chosen.slice(0, size))]));
    const second = (size: number): number[] => tellingItems(input, excluding(order, chosen.slice(0, size)), size);
    return {
      draw: () => ({ sets, nested: true }),
      second: () => new Map(sizes.map((size) => [size, setOf(second(size))])),
    };
  },
};

/**
 * {@link greedyItems} by {@link answerFeatures}, which lie where products with them are taken: of thousands of items they are
 * most of a choice's memory.
 */
export function tellingItems(
  input: AnchorInput,
  among: readonly number[],
  count: number,
  costs?: Float64Array,
): number[] {
  const room = productRoom(input.weights.length, answerWidth(input));
  try {
    return choose(answerFeatures(input, room.rows), room, { weights: input.weights, among, count, costs });
  } finally {
    room.release();
  }
}

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
  const room = productRoom(features.count, features.width);
  const { rows, z } = room;
  try {
    for (let i = 0; i < features.count; i++)
      rows.set(features.loadings.subarray(i * features.width, (i + 1) * features.width), i * z.length);
    return choose({ ...features, loadings: rows }, room, { weights, among, count, costs });
  } finally {
    room.release();
  }
}

/** One memory for items' loadings, a row each, padded with zeros for {@link rowProducts}; a vector for their products with them. */
function productRoom(count: number, width: number) {
  const padded = ROW_LANES * Math.ceil(width / ROW_LANES);
  const { float64, release } = vectorMemory([count * padded, padded, count]);
  return { rows: float64(count * padded), z: float64(padded), column: float64(count), release };
}

type ProductRoom = ReturnType<typeof productRoom>;

interface Choice {
  readonly weights: Float64Array;
  readonly among: readonly number[];
  readonly count: number;
  readonly costs: Float64Array | undefined;
}

/** @param features - with loadings that are the room's rows */
function choose(features: CurveFeatures, room: ProductRoom, { weights, among, count, costs }: Choice): number[] {
  const { variance, covariance, answer } = openVariances(features, weights, room);
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
}

/** Var(y_i) and Cov(y_i, S) given the items answered so far: none at first, then one more with every `answer`. */
function openVariances({ count, noise }: CurveFeatures, weights: Float64Array, { rows, z, column }: ProductRoom) {
  const padded = z.length;
  const variance = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let square = noise[i]!;
    for (let k = 0, at = i * padded; k < padded; k++, at++) {
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
