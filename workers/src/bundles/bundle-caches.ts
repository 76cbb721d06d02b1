import type { Bundle, BundleRouting, Manifest } from "anchoreval";
import type { ItemLines } from "anchoreval/internal/core/bundle/item-lines";
import type { BundleIndex } from "anchoreval/internal/bundles/bundle-index";
import { ValueCache } from "./value-cache.ts";
import type { ShippedObjects } from "./shipped-bucket.ts";

/** How long `latest` and the lists of versions may lag behind a publication. @unit seconds */
export const INDEX_MAX_AGE = 60;

/** A version's manifest, read and checked. */
export interface PublishedBundle {
  readonly manifest: Manifest;
  /** manifest.json as it was published. */
  readonly bytes: Uint8Array;
  /** `sha256:…` of those bytes. */
  readonly digest: string;
}

export interface CacheOptions {
  /** Room for decoded bundles, including those being loaded. @unit bytes @default 24 MiB, of an isolate's 128 MB */
  readonly maxBundleBytes?: number;
  /** Longest wait for a load that another request began. @unit milliseconds @default 15 000 */
  readonly patience?: number;
  /** @default Date.now */
  readonly now?: () => number;
}

/** The values that an isolate keeps between requests, by the phases that load them. Nothing in them belongs to a request. */
export interface CachedValues {
  readonly names: readonly string[];
  readonly index: BundleIndex;
  readonly manifest: PublishedBundle;
  readonly bundle: Bundle;
  readonly routing: BundleRouting;
  readonly items: ItemLines;
}

export type ValueCaches = { readonly [Phase in keyof CachedValues]: ValueCache<CachedValues[Phase]> };

export interface BundleCaches extends ValueCaches {
  /** Bounds the whole files that are being sent. */
  readonly files: MemoryRoom;
  /** The list of the bundles that come along, by the key "". */
  readonly shipped: ValueCache<ShippedObjects>;
}

/**
 * Creates empty caches. Full, and with everything in flight, they take 57 MiB: V8 lets some 64 MB of dropped array
 * buffers accumulate before it collects them (docs/decisions/serving.md), and an isolate has 128 MB.
 */
export function createCaches({ maxBundleBytes = 24 << 20, now = Date.now, patience }: CacheOptions = {}): BundleCaches {
  const every = { now, ...(patience !== undefined && { patience }) };
  const ageing = { ...every, maxAge: INDEX_MAX_AGE * 1000 };
  const indexSize = ({ versions }: BundleIndex): number => 200 * (versions.length + 1);
  return {
    names: new ValueCache({ maxBytes: 1 << 20, sizeOf: (names) => 100 * names.length, ...ageing }),
    index: new ValueCache({ maxBytes: 4 << 20, sizeOf: indexSize, ...ageing }),
    manifest: new ValueCache({ maxBytes: 8 << 20, sizeOf: ({ bytes }) => 4 * bytes.length, ...every }),
    bundle: new ValueCache({ maxBytes: maxBundleBytes, sizeOf: ({ byteLength }) => byteLength, ...every }),
    routing: new ValueCache({ maxBytes: 8 << 20, sizeOf: ({ byteLength }) => byteLength, ...every }),
    items: new ValueCache({ maxBytes: 4 << 20, sizeOf: ({ byteLength }) => byteLength, ...every }),
    files: new MemoryRoom(8 << 20, now),
    shipped: new ValueCache({
      maxBytes: 1 << 18,
      sizeOf: ({ objects }) => 300 * Object.keys(objects).length,
      ...every,
    }),
  };
}

/** A lease held longer is considered lost together with its request. @unit milliseconds */
const LOST_AFTER = 60_000;

/** A bound on the bytes held in memory at the same time. */
export class MemoryRoom {
  readonly #bytes: number;
  readonly #now: () => number;
  readonly #leases = new Set<{ readonly bytes: number; readonly since: number }>();

  /** @param bytes - the bound */
  constructor(bytes: number, now: () => number) {
    this.#bytes = bytes;
    this.#now = now;
  }

  /** Reserves bytes. @returns a function that releases them; null if there is no room */
  take(bytes: number): (() => void) | null {
    let held = 0;
    for (const lease of this.#leases)
      if (this.#now() - lease.since >= LOST_AFTER) this.#leases.delete(lease);
      else held += lease.bytes;
    if (held + bytes > this.#bytes) return null;
    const lease = { bytes, since: this.#now() };
    this.#leases.add(lease);
    return () => void this.#leases.delete(lease);
  }
}
