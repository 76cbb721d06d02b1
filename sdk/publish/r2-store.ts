import { AnchorEvalError } from "../core/errors.ts";
import type { BundleStore } from "./bundle-store.ts";

/** The part of Cloudflare's R2Bucket that publishing needs. */
export interface R2StoreBucket {
  get(key: string): Promise<{ readonly etag: string; arrayBuffer(): Promise<ArrayBuffer> } | null>;
  put(
    key: string,
    value: Uint8Array,
    options: { onlyIf: { etagMatches: string } | { etagDoesNotMatch: string } },
  ): Promise<object | null>;
  list(options: { prefix: string; delimiter: string; cursor?: string }): Promise<R2Listing>;
}

type R2Listing = { readonly objects: { readonly key: string }[]; readonly delimitedPrefixes: string[] } & (
  { readonly truncated: true; readonly cursor: string } | { readonly truncated: false }
);

/**
 * Publishes to an R2 bucket: a Worker's binding, or miniflare's.
 * @example await publishBundle(r2Store(env.BUNDLES), files)
 */
export function r2Store(bucket: R2StoreBucket): BundleStore {
  const attempt = async <T>(what: string, action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (cause) {
      throw new AnchorEvalError("unavailable", `the R2 bucket could not ${what}`, { cause });
    }
  };
  return {
    name: "the R2 bucket",
    get: (key) =>
      attempt(`read ${key}`, async () => {
        const object = await bucket.get(key);
        return object && { bytes: new Uint8Array(await object.arrayBuffer()), etag: object.etag };
      }),
    putIfAbsent: (key, bytes) =>
      attempt(
        `write ${key}`,
        async () => (await bucket.put(key, bytes, { onlyIf: { etagDoesNotMatch: "*" } })) !== null,
      ),
    putIfMatch: (key, bytes, etag) =>
      attempt(`write ${key}`, async () => (await bucket.put(key, bytes, { onlyIf: { etagMatches: etag } })) !== null),
    list: (prefix) =>
      attempt(`list ${prefix}`, async () => {
        const names: string[] = [];
        let cursor: string | undefined;
        do {
          const page: R2Listing = await bucket.list({
            prefix,
            delimiter: "/",
            ...(cursor !== undefined && { cursor }),
          });
          for (const key of [...page.delimitedPrefixes, ...page.objects.map((object) => object.key)])
            names.push(key.slice(prefix.length));
          cursor = page.truncated ? page.cursor : undefined;
        } while (cursor !== undefined);
        return names;
      }),
  };
}
