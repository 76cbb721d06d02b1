import {
  AnchorEvalError,
  loadBundle,
  loadRouting,
  r2Source,
  readBundleFile,
  type Bundle,
  type BundleRef,
  type BundleRouting,
  type BundleSource,
  type Manifest,
} from "anchoreval";
import {
  BENCHMARK_NAME,
  blobKey,
  indexKey,
  parseManifest,
  sha256Hex,
  signatureKey,
  type BundleFileName,
  type ByteRange,
  type FileManifest,
} from "anchoreval/bundle";
import { completeIndex, parseIndex, r2Store, type BundleIndex } from "anchoreval/publish";
import type { BundleBucket } from "./bundle-bucket.ts";
import { PromiseCache } from "./promise-cache.ts";

/** The version word that stands for the highest stable version. */
export const LATEST = "latest";

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
  /** Room for decoded bundles. @unit bytes @default 48 MiB, of an isolate's 128 MB */
  readonly maxBundleBytes?: number;
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
}

/** Empty caches. */
export function createCaches({ maxBundleBytes = 48 << 20, now = Date.now }: CacheOptions = {}): BundleCaches {
  const maxAge = INDEX_MAX_AGE * 1000;
  return {
    names: new PromiseCache({ maxBytes: 1 << 20, sizeOf: (names) => 100 * names.length, maxAge, now }),
    indexes: new PromiseCache({
      maxBytes: 4 << 20,
      sizeOf: (index) => 200 * (index.versions.length + 1),
      maxAge,
      now,
    }),
    manifests: new PromiseCache({ maxBytes: 8 << 20, sizeOf: ({ bytes }) => 4 * bytes.length, now }),
    bundles: new PromiseCache({ maxBytes: maxBundleBytes, sizeOf: ({ byteLength }) => byteLength, now }),
    routings: new PromiseCache({ maxBytes: 16 << 20, sizeOf: ({ byteLength }) => byteLength, now }),
  };
}

/** The published bundles of a bucket, as one request reads them: through the isolate's caches. */
export class BundleReader {
  readonly #bucket: BundleBucket;
  readonly #caches: BundleCaches;
  readonly #keepAlive: (work: Promise<unknown>) => void;

  /** @param keepAlive - `waitUntil` of the request: others may wait for what it loads */
  constructor(bucket: BundleBucket, caches: BundleCaches, keepAlive: (work: Promise<unknown>) => void) {
    this.#bucket = bucket;
    this.#caches = caches;
    this.#keepAlive = keepAlive;
  }

  /** The indexes of all benchmarks, by name. */
  async benchmarks(): Promise<BundleIndex[]> {
    const names = await this.#caches.names.get(
      "",
      async () => {
        const entries = await r2Store(this.#bucket).list("bundles/");
        return entries.map((name) => name.replace(/\/$/, "")).filter((name) => BENCHMARK_NAME.test(name));
      },
      this.#keepAlive,
    );
    const indexes = await Promise.all(names.map((name) => this.#index(name)));
    return indexes.filter((index) => index.versions.length > 0);
  }

  /** Reads a benchmark's index anew from now on: a version was just published here. */
  forgetIndex(benchmark: string): void {
    this.#caches.indexes.delete(benchmark);
    this.#caches.names.delete("");
  }

  /** The versions of a benchmark. @throws AnchorEvalError `not_found` */
  async benchmark(benchmark: string): Promise<BundleIndex> {
    const index = BENCHMARK_NAME.test(benchmark) ? await this.#index(benchmark) : null;
    if (!index || index.versions.length === 0)
      throw new AnchorEvalError("not_found", `no benchmark ${benchmark} is published here`);
    return index;
  }

  /** The version that {@link LATEST} stands for now. @throws AnchorEvalError `not_found` */
  async latest(benchmark: string): Promise<string> {
    const { latest } = await this.benchmark(benchmark);
    if (latest === null)
      throw new AnchorEvalError("not_found", `${benchmark} has no stable version yet: name one by its number`);
    return latest;
  }

  /**
   * Why a version is yanked; null where it isn't. `latest` never is. Where the index can't be read nothing is known: an
   * estimate doesn't fail for that.
   */
  async yankedBecause({ benchmark, version }: BundleRef): Promise<string | null> {
    if (version === LATEST) return null;
    const index = await this.#index(benchmark).catch(() => null);
    const entry = index?.versions.find((own) => own.version === version);
    return entry?.yanked === true ? (entry.reason ?? "no reason was given") : null;
  }

  /** The manifest of a version. @throws AnchorEvalError `not_found`, `bundle_invalid`, `unavailable` */
  published({ benchmark, version }: BundleRef): Promise<PublishedBundle> {
    return this.#caches.manifests.get(
      `${benchmark}@${version}`,
      async () => {
        const source = r2Source(this.#bucket, { benchmark, version });
        const bytes = await source.read("manifest.json");
        if (bytes === null)
          throw new AnchorEvalError("not_found", `no bundle ${benchmark}@${version} is published here`);
        return { manifest: parseManifest(bytes), bytes, digest: `sha256:${sha256Hex(bytes)}`, source };
      },
      this.#keepAlive,
    );
  }

  /** A bundle, decoded; `latest` too. @throws AnchorEvalError as {@link loadBundle} */
  async bundle(ref: BundleRef): Promise<Bundle> {
    const { digest, source } = await this.#numbered(ref);
    return this.#caches.bundles.get(digest, () => loadBundle(source), this.#keepAlive);
  }

  /** What a bundle's routes are made from; `latest` too. @throws AnchorEvalError as {@link loadRouting} */
  async routing(ref: BundleRef): Promise<BundleRouting> {
    const { digest, source } = await this.#numbered(ref);
    return this.#caches.routings.get(digest, () => loadRouting(source), this.#keepAlive);
  }

  /** The signatures of a version's manifest, manifest.sig. @throws AnchorEvalError `not_found`, `unavailable` */
  async signatures(ref: BundleRef): Promise<Uint8Array> {
    const { digest } = await this.published(ref);
    const object = await r2Store(this.#bucket).get(signatureKey(ref.benchmark, digest.replace("sha256:", "")));
    if (object === null) throw new AnchorEvalError("not_found", `${ref.benchmark}@${ref.version} has no manifest.sig`);
    return object.bytes;
  }

  /**
   * A file's description in the manifest, and its bytes. The whole file is read and checked before any of it is given:
   * it goes out under its digest and is cached for good. A part can't be checked, and comes as storage has it.
   * @throws AnchorEvalError `not_found`, `bundle_corrupt` where the manifest names a file that isn't there, or another
   */
  async file(
    ref: BundleRef,
    name: Exclude<BundleFileName, "manifest.json">,
  ): Promise<FileManifest & { open: (range: ByteRange | null) => Promise<ReadableStream | Uint8Array> }> {
    const { manifest, source } = await this.published(ref);
    const file = manifest.files.find((candidate) => candidate.name === name);
    if (!file) throw new AnchorEvalError("not_found", `${manifest.benchmark}@${manifest.version} has no ${name}`);
    const open = async (range: ByteRange | null): Promise<ReadableStream | Uint8Array> => {
      if (range === null || range.end - range.begin === file.bytes) return readBundleFile(source, manifest, name);
      const object = await this.#bucket
        .get(blobKey(manifest.benchmark, file.sha256), {
          range: { offset: range.begin, length: range.end - range.begin },
        })
        .catch((cause: unknown) => {
          throw new AnchorEvalError("unavailable", `${source.name}: ${name} could not be read`, { cause });
        });
      if (object === null)
        throw new AnchorEvalError("bundle_corrupt", `${source.name} lacks ${name}, which its manifest names`);
      return object.body;
    };
    return { ...file, open };
  }

  /** A version, or the one that `latest` stands for, its manifest not read again. */
  async #numbered({ benchmark, version }: BundleRef): Promise<{ digest: string; source: BundleSource }> {
    const number = version === LATEST ? await this.latest(benchmark) : version;
    const { digest, bytes, source } = await this.published({ benchmark, version: number });
    const read: BundleSource["read"] = (file, options) =>
      file === "manifest.json" ? Promise.resolve(bytes) : source.read(file, options);
    return { digest, source: { name: source.name, read } };
  }

  #index(benchmark: string): Promise<BundleIndex> {
    return this.#caches.indexes.get(
      benchmark,
      async () => {
        const store = r2Store(this.#bucket);
        const object = await store.get(indexKey(benchmark));
        return (object && parseIndex(object.bytes)) ?? completeIndex(store, benchmark, null);
      },
      this.#keepAlive,
    );
  }
}
