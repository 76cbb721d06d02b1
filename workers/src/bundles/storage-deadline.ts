import { inTime } from "../in-time.ts";
import type { BundleBucket } from "./bundle-bucket.ts";

/** Longest wait for one answer of R2. @unit milliseconds */
export const STORAGE_DEADLINE = 5000;

/**
 * The bucket with an end to every wait: what R2 doesn't answer in time fails, as other errors of it do. Uploads of
 * files are left alone: they last as long as their senders take.
 * @param limit - @unit milliseconds
 */
export function withDeadline(bucket: BundleBucket, limit: number): BundleBucket {
  return {
    get: async (key, options) => {
      const object = await inTime(bucket.get(key, options), limit, key);
      return (
        object && {
          etag: object.etag,
          body: object.body,
          arrayBuffer: () => inTime(object.arrayBuffer(), limit, key),
        }
      );
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
