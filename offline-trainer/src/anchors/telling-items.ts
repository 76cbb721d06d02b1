import { ROW_LANES, rowProducts, vectorMemory } from "../numeric/vectors.ts";
import type { AnchorInput } from "./anchor-method.ts";
import { answerFeatures, answerWidth, type CurveFeatures, featuresOf } from "./curve-features.ts";

/**
 * The choice may leave at most so many times as much of stronger models' full scores open as items spread evenly by accuracy
 * (docs/decisions/anchors.md).
 */
const MOST_OPEN = 1.2;

/**
 * {@link greedyItems} by {@link answerFeatures}, which lie where products with them are taken: of thousands of items they are
 * most of a choice's memory.
 * @param among - in an order along which items spread evenly are like as many drawn ones
 * @param stronger - curves of models stronger than the sources. What tells models like the sources apart may tell nothing of
 * these: where it leaves more of their full scores open than {@link MOST_OPEN} allows, an item is chosen by the sum of the
 * shares by which it lowers both variances, a compound design
 * @see Atkinson, Donev & Tobias (2007), Optimum Experimental Designs, with SAS, §21
 */
export function tellingItems(
  input: AnchorInput,
  among: readonly number[],
  count: number,
  { costs, stronger }: { readonly costs?: Float64Array | undefined; readonly stronger?: readonly Float64Array[] } = {},
): number[] {
  const { weights } = input;
  const rooms = [productRoom(weights.length, answerWidth(input))];
  const openedFor = (features: CurveFeatures): OpenVariances => {
    rooms.push(filledRoom(features));
    return openVariances(features, weights, rooms.at(-1)!);
  };
  try {
    const like = openVariances(answerFeatures(input, rooms[0]!.rows), weights, rooms[0]!);
    const priced = (gain: Gain): Gain => (costs ? (item) => gain(item) / costs[item]! : gain);
    if (stronger === undefined) return choose(among, count, () => priced(like.gain), like.answer);
    const features = featuresOf(stronger);
    const [beyond, even] = [openedFor(features), openedFor(features)];
    const both: Gain = (item) => like.gain(item) + beyond.gain(item);
    const spread = evenly(among);
    return choose(
      among,
      count,
      () => priced(beyond.open() > MOST_OPEN * even.open() ? both : like.gain),
      (item, k) => {
        like.answer(item);
        beyond.answer(item);
        even.answer(spread[k]!);
      },
    );
  } finally {
    for (const { release } of rooms) release();
  }
}

/** Items in an order of which every first part lies evenly among them: by their positions' binary digits, the last first. */
function evenly(items: readonly number[]): number[] {
  const keys = items.map((_, position) => {
    let key = 0;
    for (let part = 0.5; position > 0; position >>= 1, part /= 2) key += part * (position & 1);
    return key;
  });
  return [...items.keys()].sort((x, y) => keys[x]! - keys[y]!).map((position) => items[position]!);
}

/**
 * Items in the order in which they are chosen: each time the one with the largest Cov(y_i, S | y_A)²/Var(y_i | y_A), by
 * which its answer lowers the variance of the full score S. Ties by position.
 * @param weights - item weights w, summing to 1
 * @param among - items that may be chosen
 * @param count - how many, at most all of these
 * @see Krause, Singh & Guestrin (2008), JMLR 9, 235–284
 */
export function greedyItems(
  features: CurveFeatures,
  weights: Float64Array,
  among: readonly number[],
  count: number,
): number[] {
  const room = filledRoom(features);
  try {
    const { gain, answer } = openVariances(features, weights, room);
    return choose(among, count, () => gain, answer);
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

function filledRoom({ count, width, loadings }: CurveFeatures): ProductRoom {
  const room = productRoom(count, width);
  for (let i = 0; i < count; i++) room.rows.set(loadings.subarray(i * width, (i + 1) * width), i * room.z.length);
  return room;
}

type Gain = (item: number) => number;

/** One item after the other, each with the largest gain once the others are answered; ties by position. */
function choose(
  among: readonly number[],
  count: number,
  gainNow: () => Gain,
  answer: (item: number, k: number) => void,
): number[] {
  const left = [...among].sort((x, y) => x - y);
  return Array.from({ length: count }, (_, place) => {
    const gain = gainNow();
    let [best, most] = [0, -1];
    for (let k = 0; k < left.length; k++) {
      const worth = gain(left[k]!);
      if (worth > most) [best, most] = [k, worth];
    }
    const [item] = left.splice(best, 1);
    answer(item!, place);
    return item!;
  });
}

type OpenVariances = ReturnType<typeof openVariances>;

/**
 * Var(S) given the items answered so far, none at first and one more with every `answer`, and the share that an item's answer
 * would lower it by.
 */
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
  let open = covariance.reduce((sum, value, i) => sum + weights[i]! * value, 0);
  return {
    open: () => open,
    gain: (item: number): number => covariance[item]! ** 2 / variance[item]! / open,
    answer: (item: number): void => {
      open -= covariance[item]! ** 2 / variance[item]!;
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
