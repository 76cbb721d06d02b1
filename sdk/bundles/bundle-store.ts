import { equalBytes } from "./bytes.ts";
import { mostBytes } from "./read-file.ts";
import { AnchorEvalError } from "../core/errors.ts";

/** Where bundles are published: an R2 bucket or a folder. Keys are those of core/bundle/names.ts. */
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
  /** Objects below a prefix, however deep, whose writing was begun and isn't done. Absent where none can be left. */
  drafts?(prefix: string): Promise<{ readonly name: string; readonly written: number }[]>;
}

/** Others that change the same object in the meantime are tried against so often. */
const ATTEMPTS = 5;

/**
 * Changes an object that others may be changing, too.
 * @param change - its new content, from the one that is there
 * @returns the content as it is now
 * @throws AnchorEvalError `unavailable`
 */
export async function changeObject(
  store: BundleStore,
  key: string,
  change: (there: Uint8Array | null) => Uint8Array | Promise<Uint8Array>,
): Promise<Uint8Array> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const there = await store.get(key);
    const bytes = await change(there && there.bytes);
    if (there && equalBytes(there.bytes, bytes)) return bytes;
    if (await putVersion(store, key, bytes, there && there.etag)) return bytes;
  }
  throw new AnchorEvalError("unavailable", `${key} is being changed by others all the time: try again`);
}

/**
 * Writes an object if it is still the one that was read.
 * @param etag - of that one; null where none was there
 * @throws AnchorEvalError `unsupported` for one that readers would refuse as too long
 */
export async function putVersion(
  store: BundleStore,
  key: string,
  bytes: Uint8Array,
  etag: string | null,
): Promise<boolean> {
  if (bytes.length > mostBytes(key))
    throw new AnchorEvalError(
      "unsupported",
      `${key} would have ${bytes.length} bytes, and at most ${mostBytes(key)} are read: publish under another name from now on`,
    );
  return etag === null ? store.putIfAbsent(key, bytes) : store.putIfMatch(key, bytes, etag);
}

/** One JSON value with its line end. */
export function encodeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}
