import { fileBound } from "./read-file.ts";
import { readObject } from "./body.ts";
import { AnchorEvalError } from "../core/errors.ts";
import type { BundleStore, SweepableStore } from "./bundle-store.ts";

/** The part of Cloudflare's R2Bucket that publishing needs. */
export interface R2StoreBucket {
  get(
    key: string,
  ): Promise<{ readonly etag: string; readonly size: number; arrayBuffer(): Promise<ArrayBuffer> } | null>;
  put(
    key: string,
    value: Uint8Array,
    options: { onlyIf: { etagMatches: string } | { etagDoesNotMatch: string } },
  ): Promise<object | null>;
  list(options: { prefix: string; delimiter: string; cursor?: string }): Promise<R2Listing>;
}

/** The part of it that sweeping needs besides. */
export interface R2SweepBucket extends R2StoreBucket {
  list(options: {
    prefix: string;
    delimiter: string;
    cursor?: string;
  }): Promise<R2Listing<{ readonly uploaded: Date }>>;
  delete(key: string): Promise<void>;
}

/** A page of keys, as R2 lists them. */
export type R2Listing<More = object> = {
  readonly objects: ({ readonly key: string } & More)[];
  readonly delimitedPrefixes: string[];
} & ({ readonly truncated: true; readonly cursor: string } | { readonly truncated: false });

const NAME = "the R2 bucket";

/**
 * Publishes to an R2 bucket: a Worker's binding, or miniflare's.
 * @example await publishBundle(r2Store(env.BUNDLES), files)
 */
export function r2Store(bucket: R2StoreBucket): BundleStore {
  return {
    name: NAME,
    get: (key) =>
      onBucket(`read ${key}`, async () => {
        const object = await bucket.get(key);
        return object && { bytes: await readObject(object, fileBound(NAME, key)), etag: object.etag };
      }),
    putIfAbsent: (key, bytes) =>
      onBucket(
        `write ${key}`,
        async () => (await bucket.put(key, bytes, { onlyIf: { etagDoesNotMatch: "*" } })) !== null,
      ),
    putIfMatch: (key, bytes, etag) =>
      onBucket(`write ${key}`, async () => (await bucket.put(key, bytes, { onlyIf: { etagMatches: etag } })) !== null),
    list: async (prefix) => {
      const names = new Set<string>();
      for await (const page of pages(bucket, prefix))
        for (const key of [...page.delimitedPrefixes, ...page.objects.map((object) => object.key)])
          names.add(key.slice(prefix.length));
      return [...names];
    },
  };
}

/** {@link r2Store}, with what sweeping needs. */
export function sweepableR2Store(bucket: R2SweepBucket): SweepableStore {
  return {
    ...r2Store(bucket),
    listTimes: async (prefix) => {
      const entries: { name: string; written: number }[] = [];
      for await (const { objects } of pages(bucket, prefix))
        for (const { key, uploaded } of objects)
          entries.push({ name: key.slice(prefix.length), written: uploaded.getTime() });
      return entries;
    },
    remove: (key) => onBucket(`remove ${key}`, () => bucket.delete(key)),
  };
}

async function* pages<Page extends R2Listing>(
  bucket: { list(options: { prefix: string; delimiter: string; cursor?: string }): Promise<Page> },
  prefix: string,
): AsyncGenerator<Page, void, undefined> {
  let cursor: string | undefined;
  do {
    const page: Page = await onBucket(`list ${prefix}`, () =>
      bucket.list({ prefix, delimiter: "/", ...(cursor !== undefined && { cursor }) }),
    );
    yield page;
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}

/**
 * The outcome of work on the bucket.
 * @param what - the work, after "could not"
 * @throws AnchorEvalError `unavailable`; `bundle_corrupt` and `unsupported` for what is too long
 */
export async function onBucket<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof AnchorEvalError && cause.code !== "unavailable") throw cause; // it is too long
    throw new AnchorEvalError("unavailable", `the R2 bucket could not ${what}`, { cause });
  }
}
