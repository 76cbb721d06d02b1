import { AnchorEvalError } from "anchoreval";
import type { BundleBucket } from "./env.ts";

/**
 * The outcome of the work, if it comes in time.
 * @param limit - @unit milliseconds
 * @throws AnchorEvalError `unavailable` after the limit; the work itself goes on
 */
export function inTime<T>(work: Promise<T>, limit: number, what: string): Promise<T> {
  return within(work, limit, () => new AnchorEvalError("unavailable", `${what}: no answer within ${limit} ms`));
}

export function within<T>(work: Promise<T>, limit: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), limit);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Longest wait for one answer of R2. @unit milliseconds */
export const STORAGE_DEADLINE = 5000;

/**
 * A bucket that never waits longer than the limit: an answer that doesn't come in time is an error like R2's others.
 * Uploads of streams have no limit; they take as long as their senders.
 * @param limit - @unit milliseconds
 */
export function withDeadline(bucket: BundleBucket, limit: number): BundleBucket {
  return {
    get: async (key, options) => {
      const object = await inTime(bucket.get(key, options), limit, key);
      if (object === null) return null;
      const { etag, size, body } = object;
      return { etag, size, body, arrayBuffer: () => inTime(object.arrayBuffer(), limit, key) };
    },
    head: (key) => inTime(bucket.head(key), limit, key),
    list: ((options: { prefix: string; delimiter: string }) =>
      inTime(bucket.list(options), limit, options.prefix)) as BundleBucket["list"],
    put: (key: string, value: Uint8Array | ReadableStream, options: never) => {
      const put = bucket.put(key, value as Uint8Array, options);
      return value instanceof ReadableStream ? put : inTime(put, limit, key);
    },
  };
}
