import {
  AnchorEvalError,
  loadBundle,
  itemPool,
  loadItemLines,
  loadRouting,
  r2Source,
  type Bundle,
  type BundleRef,
  type BundleRouting,
  type BundleSource,
  type ItemLines,
  type ItemPool,
  type Manifest,
} from "anchoreval";
import {
  BENCHMARK_NAME,
  indexKey,
  parseManifest,
  sha256Hex,
  signatureKey,
  type BundleFileName,
  type ByteRange,
  type FileManifest,
} from "anchoreval/bundle";
import { completeIndex, parseIndex, r2Store, type BundleIndex } from "anchoreval/publish";
import type { Phases } from "../observe/phases.ts";
import type { BundleBucket } from "./bundle-bucket.ts";
import type { BundleCaches, PublishedBundle } from "./bundle-caches.ts";
import { LARGEST_HELD, throughCache, type SharedContents } from "./content-cache.ts";
import { openFile } from "./open-file.ts";
import type { Load } from "./promise-cache.ts";

/** The version word that stands for the highest stable version. */
export const LATEST = "latest";

/** Largest bundle that estimates are made from here, decoded: one more would take the isolate with it. @unit bytes */
const LARGEST_BUNDLE = 48 << 20;

/** What a request reads with. */
export interface ReaderSetup {
  /** Whose every wait has an end. */
  readonly bucket: BundleBucket;
  readonly caches: BundleCaches;
  /** What isolates share; null where nothing is. */
  readonly contents: SharedContents | null;
  /** Benchmarks of which nothing is shared. */
  readonly isProtected: (benchmark: string) => boolean;
  readonly phases: Phases;
  /** `waitUntil` of the request: others may wait for what it loads. */
  readonly keepAlive: (work: Promise<unknown>) => void;
  /** Longest wait for a piece of a body. @unit milliseconds */
  readonly deadline: number;
}

/** The published bundles of a bucket, as one request reads them: through the isolate's caches. */
export class BundleReader {
  readonly #setup: ReaderSetup;

  constructor(setup: ReaderSetup) {
    this.#setup = setup;
  }

  /** The indexes of all benchmarks, by name. */
  async benchmarks(): Promise<BundleIndex[]> {
    const load = async (): Promise<string[]> => {
      const entries = await r2Store(this.#setup.bucket).list("bundles/");
      return entries.map((name) => name.replace(/\/$/, "")).filter((name) => BENCHMARK_NAME.test(name));
    };
    const { names } = this.#setup.caches;
    const all = await this.#setup.phases.time("names", () => names.get("", this.#how(load)));
    const indexes = await Promise.all(all.map((name) => this.#index(name)));
    return indexes.filter((index) => index.versions.length > 0);
  }

  /** Reads a benchmark's index anew from now on: a version was just published here. */
  forgetIndex(benchmark: string): void {
    this.#setup.caches.indexes.delete(benchmark);
    this.#setup.caches.names.delete("");
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
    const load = async (): Promise<PublishedBundle> => {
      const source = r2Source(this.#setup.bucket, { benchmark, version });
      const known = this.#setup.contents && (await this.#knownDigest(benchmark, version));
      const read = (): Promise<Uint8Array | null> => source.read("manifest.json");
      const bytes = await (known === null ? read() : this.#shared(benchmark, known, read));
      if (bytes === null) throw new AnchorEvalError("not_found", `no bundle ${benchmark}@${version} is published here`);
      return { manifest: parseManifest(bytes), bytes, digest: `sha256:${sha256Hex(bytes)}`, source };
    };
    const { phases, caches } = this.#setup;
    return phases.time("manifest", () => caches.manifests.get(`${benchmark}@${version}`, this.#how(load)));
  }

  /**
   * A bundle, decoded; `latest` too.
   * @throws AnchorEvalError as {@link loadBundle}; `unsupported` where it would not fit into an isolate's memory
   */
  async bundle(ref: BundleRef): Promise<Bundle> {
    const published = await this.#numbered(ref);
    const { manifest, digest } = published;
    const takes = decodedSize(manifest);
    if (takes > LARGEST_BUNDLE)
      throw new AnchorEvalError(
        "unsupported",
        `${manifest.benchmark}@${manifest.version} takes ${takes} bytes of memory, of which a Worker has ${LARGEST_BUNDLE}: estimate with the SDK, one scenario at a time`,
      );
    const { phases, caches } = this.#setup;
    const load = (): Promise<Bundle> => loadBundle(this.#source(published));
    return phases.time("bundle", () => caches.bundles.get(digest, this.#how(load, takes)));
  }

  /** A bundle's items with their names and parameters; `latest` too. @throws AnchorEvalError as `loadAdaptive` */
  async itemPool(ref: BundleRef): Promise<ItemPool> {
    const published = await this.#numbered(ref);
    const { digest, manifest } = published;
    const { phases, caches } = this.#setup;
    const takes = manifest.files.find(({ name }) => name === "items.jsonl")!.bytes + 4 * itemCount(manifest);
    const load = (): Promise<ItemLines> => loadItemLines(this.#source(published), manifest);
    const [bundle, items] = await Promise.all([
      this.bundle({ benchmark: ref.benchmark, version: manifest.version }),
      phases.time("items", () => caches.items.get(digest, this.#how(load, takes))),
    ]);
    return itemPool(bundle, items);
  }

  /** What a bundle's routes are made from; `latest` too. @throws AnchorEvalError as {@link loadRouting} */
  async routing(ref: BundleRef): Promise<BundleRouting> {
    const published = await this.#numbered(ref);
    const { phases, caches } = this.#setup;
    const takes = published.manifest.files.find(({ name }) => name === "routing.safetensors")?.bytes ?? 0;
    const load = (): Promise<BundleRouting> => loadRouting(this.#source(published));
    return phases.time("routing", () => caches.routings.get(published.digest, this.#how(load, takes)));
  }

  /** The signatures of a version's manifest, manifest.sig. @throws AnchorEvalError `not_found`, `unavailable` */
  async signatures(ref: BundleRef): Promise<Uint8Array> {
    const { digest } = await this.published(ref);
    const { bucket, phases } = this.#setup;
    const object = await phases.time("file", () =>
      r2Store(bucket).get(signatureKey(ref.benchmark, digest.replace("sha256:", ""))),
    );
    if (object === null) throw new AnchorEvalError("not_found", `${ref.benchmark}@${ref.version} has no manifest.sig`);
    return object.bytes;
  }

  /**
   * A file's description in the manifest, and its bytes.
   * @throws AnchorEvalError `not_found`; of `open` as of {@link openFile}
   */
  async file(
    ref: BundleRef,
    name: Exclude<BundleFileName, "manifest.json">,
  ): Promise<FileManifest & { open: (range: ByteRange | null) => Promise<ReadableStream> }> {
    const published = await this.published(ref);
    const { manifest } = published;
    const file = manifest.files.find((candidate) => candidate.name === name);
    if (!file) throw new AnchorEvalError("not_found", `${manifest.benchmark}@${manifest.version} has no ${name}`);
    const { bucket, caches, deadline, phases } = this.#setup;
    const origin = { bucket, source: this.#source(published), manifest, room: caches.files, deadline };
    return { ...file, open: (range) => phases.time("file", () => openFile(origin, file, range)) };
  }

  /** A version, or the one that `latest` stands for. */
  async #numbered({ benchmark, version }: BundleRef): Promise<PublishedBundle> {
    return this.published({ benchmark, version: version === LATEST ? await this.latest(benchmark) : version });
  }

  /** A version's files; the manifest isn't read again, and whole files of open benchmarks are shared with other isolates. */
  #source({ manifest, bytes, source }: PublishedBundle): BundleSource {
    const read: BundleSource["read"] = (name, options) => {
      if (name === "manifest.json") return Promise.resolve(bytes);
      const file = manifest.files.find((candidate) => candidate.name === name);
      const load = (): Promise<Uint8Array | null> => source.read(name, options);
      const isShared = file && !options?.range && file.bytes <= LARGEST_HELD;
      return isShared ? this.#shared(manifest.benchmark, file.sha256, load) : load();
    };
    return { name: source.name, read };
  }

  /** SHA-256 of a version's manifest, where the index is here to tell; it isn't read for this. */
  async #knownDigest(benchmark: string, version: string): Promise<string | null> {
    const index = await this.#setup.caches.indexes.peek(benchmark);
    const entry = index?.versions.find((own) => own.version === version);
    return entry ? entry.digest.replace("sha256:", "") : null;
  }

  #shared(benchmark: string, sha256: string, load: () => Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    const { contents, isProtected, keepAlive } = this.#setup;
    return contents && !isProtected(benchmark) ? throughCache(contents, sha256, load, keepAlive) : load();
  }

  #index(benchmark: string): Promise<BundleIndex> {
    const load = async (): Promise<BundleIndex> => {
      const store = r2Store(this.#setup.bucket);
      const object = await store.get(indexKey(benchmark));
      return (object && parseIndex(object.bytes)) ?? completeIndex(store, benchmark, null);
    };
    const { phases, caches } = this.#setup;
    return phases.time("index", () => caches.indexes.get(benchmark, this.#how(load)));
  }

  #how<T>(load: () => Promise<T>, takes = 0): Load<T> {
    return { load, takes, keepAlive: this.#setup.keepAlive };
  }
}

/** What a bundle will take in memory, about as `Bundle.byteLength` counts it. @unit bytes */
function decodedSize({ files, scenarios }: Manifest): number {
  const sizeOf = (name: BundleFileName): number => files.find((file) => file.name === name)?.bytes ?? 0;
  const items = scenarios.reduce((sum, scenario) => sum + scenario.items, 0);
  return sizeOf("parameters.safetensors") + 3 * sizeOf("anchors.jsonl") + 8 * items;
}

function itemCount({ scenarios }: Manifest): number {
  return scenarios.reduce((sum, { items }) => sum + items, 0);
}
