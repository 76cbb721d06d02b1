/** Items by difficulty in parts of like size. */
export interface DifficultyBuckets {
  /** Bucket of every item; items of unknown difficulty are in the last one, by themselves. */
  readonly bucketOf: Int32Array;
  /** From the lowest values up; `unknown` is the bucket of items without one. */
  readonly buckets: readonly DifficultyBucket[];
}

/** A range of difficulties with its items; or the items whose difficulty isn't known. */
export type DifficultyBucket =
  | { readonly unknown: false; readonly from: number; readonly to: number; readonly items: number }
  | { readonly unknown: true; readonly items: number };

/**
 * Buckets by rank, as near to equal size as ties allow: items of one difficulty lie together, where the middle of their
 * ranks falls. Where ties leave a bucket empty there are fewer. Items of unknown difficulty are a bucket of their own.
 * @param values - a difficulty an item, NaN where it isn't known @param count - buckets at most
 */
export function difficultyBuckets(values: Float64Array, count: number): DifficultyBuckets {
  const order = Uint32Array.from(values.keys()).filter((item) => !Number.isNaN(values[item]!));
  order.sort((left, right) => values[left]! - values[right]! || left - right);
  const bucketOf = new Int32Array(values.length).fill(-1);
  const buckets: { unknown: false; from: number; to: number; items: number }[] = [];
  let last = -1;
  for (let begin = 0, end = 0; begin < order.length; begin = end) {
    const value = values[order[begin]!]!;
    while (end < order.length && values[order[end]!] === value) end++;
    const place = Math.floor((count * ((begin + end) / 2)) / order.length);
    if (place !== last) buckets.push({ unknown: false, from: value, to: value, items: 0 });
    last = place;
    const bucket = buckets.at(-1)!;
    bucket.to = value;
    bucket.items += end - begin;
    for (let k = begin; k < end; k++) bucketOf[order[k]!] = buckets.length - 1;
  }
  const unknown = values.length - order.length;
  if (unknown === 0) return { bucketOf, buckets };
  bucketOf.forEach((bucket, item) => {
    if (bucket < 0) bucketOf[item] = buckets.length;
  });
  return { bucketOf, buckets: [...buckets, { unknown: true, items: unknown }] };
}
