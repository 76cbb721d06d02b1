import type { Bundle, BundleRouting, BundleSource, ItemLines, Manifest } from "anchoreval";
import type { BundleIndex } from "anchoreval/publish";
import { MemoryRoom } from "./memory-room.ts";
import { PromiseCache } from "./promise-cache.ts";

/** How long `latest` and the lists of versions may lag behind a publication. @unit seconds */
export const INDEX_MAX_AGE = 60;

/** A version's manifest, read and checked, and the source of its other files. */
export interface PublishedBundle {
  readonly manifest: Manifest;
  /** manifest.json as it was published. */
  readonly bytes: Uint8Array;
  /** `sha256:…` of those bytes. */
  readonly digest: string;
  readonly source: BundleSource;
}

export interface CacheOptions {
  /** Room for decoded bundles, those being loaded included. @unit bytes @default 24 MiB, of an isolate's 128 MB */
  readonly maxBundleBytes?: number;
  /** Longest wait for a load that another request began. @unit milliseconds @default 15 000 */
  readonly patience?: number;
  /** @default Date.now */
  readonly now?: () => number;
}

/** What an isolate keeps between requests. Nothing in it belongs to a request. */
export interface BundleCaches {
  readonly names: PromiseCache<readonly string[]>;
  readonly indexes: PromiseCache<BundleIndex>;
  readonly manifests: PromiseCache<PublishedBundle>;
  readonly bundles: PromiseCache<Bundle>;
  readonly routings: PromiseCache<BundleRouting>;
  readonly items: PromiseCache<ItemLines>;
  /** Whole files on their way out. */
  readonly files: MemoryRoom;
}

/**
 * Empty caches. Together with what is on its way they take 57 MiB where all are full: V8 lets some 64 MB of dropped
 * array buffers gather before it collects them (bench/memory.js), and an isolate has 128 MB.
 */
export function createCaches({ maxBundleBytes = 24 << 20, now = Date.now, patience }: CacheOptions = {}): BundleCaches {
  const maxAge = INDEX_MAX_AGE * 1000;
  const every = { now, ...(patience !== undefined && { patience }) };
  return {
    names: new PromiseCache({ maxBytes: 1 << 20, sizeOf: (names) => 100 * names.length, maxAge, ...every }),
    indexes: new PromiseCache({
      maxBytes: 4 << 20,
      sizeOf: (index) => 200 * (index.versions.length + 1),
      maxAge,
      ...every,
    }),
    manifests: new PromiseCache({ maxBytes: 8 << 20, sizeOf: ({ bytes }) => 4 * bytes.length, ...every }),
    bundles: new PromiseCache({ maxBytes: maxBundleBytes, sizeOf: ({ byteLength }) => byteLength, ...every }),
    routings: new PromiseCache({ maxBytes: 8 << 20, sizeOf: ({ byteLength }) => byteLength, ...every }),
    items: new PromiseCache({ maxBytes: 4 << 20, sizeOf: ({ byteLength }) => byteLength, ...every }),
    files: new MemoryRoom(8 << 20, now),
  };
}
