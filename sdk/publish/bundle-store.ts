/** Where bundles are published: an R2 bucket or a folder. Keys are those of core/bundle/keys.ts. */
export interface BundleStore {
  /** For messages: a bucket, a folder. */
  readonly name: string;
  /** An object with the tag of its content; null where there is none. */
  get(key: string): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | null>;
  /** Writes an object that isn't there yet. @returns false where it is there already: nothing was written */
  putIfAbsent(key: string, bytes: Uint8Array): Promise<boolean>;
  /** Replaces an object. @returns false where its content is no longer the one with this tag: nothing was written */
  putIfMatch(key: string, bytes: Uint8Array, etag: string): Promise<boolean>;
  /**
   * Names right below a prefix that ends in `/`: objects as they are, deeper levels once each with a `/` at the end.
   * @example await store.list("bundles/helm-lite/") // ["1.0.0/", "blobs/", "index.json"]
   */
  list(prefix: string): Promise<string[]>;
}

/** A store whose leftovers can be removed. */
export interface SweepableStore extends BundleStore {
  /** Objects right below a prefix that ends in `/`, and when they were written (milliseconds since 1970). */
  listTimes(prefix: string): Promise<{ readonly name: string; readonly written: number }[]>;
  /** Removes an object, if it is there. */
  remove(key: string): Promise<void>;
}
