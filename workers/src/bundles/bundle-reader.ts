import {
  AnchorEvalError,
  loadBundle,
  loadRouting,
  r2Source,
  type Bundle,
  type BundleRef,
  type BundleRouting,
  type BundleSource,
  type Manifest,
} from "anchoreval";
import type { BundleFileName, ByteRange } from "anchoreval/bundle";
import { loadItemLines, readManifest } from "anchoreval/internal/bundles/read-file";
import { itemTotal } from "anchoreval/internal/words/measured-forms";
import { type ItemLines, keepItems, knowsItems } from "anchoreval/internal/core/bundle/item-lines";
import type { FileManifest } from "anchoreval/internal/core/bundle/manifest";
import { BENCHMARK_NAME, cardKey, indexKey, LATEST, signatureKey } from "anchoreval/internal/core/bundle/names";
import { answersOthers } from "anchoreval/internal/estimate/locate-answers";
import { completeIndex, parseIndex, type BundleIndex, type IndexEntry } from "anchoreval/internal/bundles/bundle-index";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import type { Phases } from "../platform/observe.ts";
import type { BundleBucket } from "../platform/env.ts";
import type { BundleCaches, CachedValues, PublishedBundle, ValueCaches } from "./bundle-caches.ts";
import { LARGEST_HELD, throughCache, type SharedContents } from "./content-cache.ts";
import { openFile } from "./open-file.ts";
import type { ShippedVersions } from "./shipped-bucket.ts";

/** Largest decoded bundle that is served from here: an isolate has no room for more. @unit bytes */
export const LARGEST_BUNDLE = 48 << 20;

interface ReaderSetup {
  /** With a deadline for every wait. */
  readonly bucket: BundleBucket;
  readonly caches: BundleCaches;
  /** The versions of a benchmark that come along; null where none do. */
  readonly shipped: ShippedVersions | null;
  /** The cache that isolates share; null for none. */
  readonly contents: SharedContents | null;
  /** Nothing of such benchmarks is shared. */
  readonly isProtected: (benchmark: string) => boolean;
  readonly phases: Phases;
  /** `waitUntil` of the request: other requests may wait for what it loads. */
  readonly keepAlive: (work: Promise<unknown>) => void;
  /** Longest wait for a piece of a body. @unit milliseconds */
  readonly deadline: number;
}

export interface OpenedBundle {
  /** It says whether its publisher took the version back, so that results warn. */
  readonly bundle: Bundle;
  /** Lets the bundle know the names of all its items, where some answer is to none of its anchors. */
  readonly readyFor: (responses: unknown) => Promise<void>;
}

/** Reads the published bundles of a bucket for one request, through the isolate's caches. */
export class BundleReader {
  readonly #setup: ReaderSetup;

  constructor(setup: ReaderSetup) {
    this.#setup = setup;
  }

  async benchmarks(): Promise<BundleIndex[]> {
    const all = await this.#cached("names", "", async () => {
      const entries = await r2Store(this.#setup.bucket).list("bundles/");
      return entries.map((name) => name.replace(/\/$/, "")).filter((name) => BENCHMARK_NAME.test(name));
    });
    const indexes = await Promise.all(all.map((name) => this.#index(name)));
    return indexes.filter((index) => index.versions.length > 0);
  }

  /** Forgets a benchmark's index after a publication, so that it is read again. */
  forgetIndex(benchmark: string): void {
    this.#setup.caches.index.delete(benchmark);
    this.#setup.caches.names.delete("");
  }

  async benchmark(benchmark: string): Promise<BundleIndex> {
    const index = BENCHMARK_NAME.test(benchmark) ? await this.#index(benchmark) : null;
    if (!index || index.versions.length === 0)
      throw new AnchorEvalError("not_found", `no benchmark ${benchmark} is published here`);
    return index;
  }

  async latest(benchmark: string): Promise<string> {
    const { latest } = await this.benchmark(benchmark);
    if (latest === null)
      throw new AnchorEvalError("not_found", `${benchmark} has no stable version yet: request one by its number`);
    return latest;
  }

  /** Why a version is yanked, which `latest` never is; null if the index can't be read: no estimate fails because of it. */
  async #yankedReason({ benchmark, version }: BundleRef): Promise<string | null> {
    const entry = version === LATEST ? undefined : await this.#entry({ benchmark, version }).catch(() => undefined);
    return entry?.yanked === true ? (entry.reason ?? "no reason was given") : null;
  }

  /** A bundle to estimate with; the version may be `latest`. @throws AnchorEvalError as {@link bundle} */
  async open(ref: BundleRef): Promise<OpenedBundle> {
    const [kept, yanked] = await Promise.all([this.bundle(ref), this.#yankedReason(ref)]);
    const bundle = yanked === null ? kept : { ...kept, yanked };
    const readyFor = async (responses: unknown): Promise<void> => {
      if (knowsItems(bundle) || !answersOthers(bundle, responses)) return;
      const { benchmark, version } = bundle.manifest;
      const lines = await this.#itemLines(await this.published({ benchmark, version }));
      keepItems(bundle, () => lines);
    };
    return { bundle, readyFor };
  }

  /**
   * The manifest of a version: the one that its address names, and that the index has the digest of.
   * @throws AnchorEvalError `not_found`, `bundle_corrupt`, `bundle_invalid`, `bundle_mismatch`, `unavailable`
   */
  published({ benchmark, version }: BundleRef): Promise<PublishedBundle> {
    return this.#cached("manifest", `${benchmark}@${version}`, async () => {
      const source = r2Source(this.#setup.bucket, { benchmark, version });
      const digest = this.#setup.contents && this.#knownDigest(benchmark, version);
      const load = (): Promise<Uint8Array | null> => source.read("manifest.json");
      const bytes = await (digest === null ? load() : this.#shared(benchmark, digest, load));
      if (bytes === null) throw new AnchorEvalError("not_found", `no bundle ${benchmark}@${version} is published here`);
      const read = await readManifest({ ...source, read: () => Promise.resolve(bytes) }, {});
      // An index that can't be read is no reason to refuse a bundle.
      const listed = await this.#entry({ benchmark, version }).catch(() => undefined);
      if (listed && listed.digest !== read.digest)
        throw new AnchorEvalError(
          "bundle_mismatch",
          `${benchmark}@${version} has another manifest (${read.digest}) than the index says (${listed.digest}): publish the right one again, or remove index.json if it is the one that is wrong`,
        );
      return read;
    });
  }

  /**
   * A decoded bundle; the version may be `latest`.
   * @throws AnchorEvalError as {@link loadBundle}; `unsupported` if it doesn't fit into an isolate's memory
   */
  async bundle(ref: BundleRef): Promise<Bundle> {
    const published = await this.#resolved(ref);
    const { manifest, digest } = published;
    const takes = memoryOf(manifest);
    if (takes > LARGEST_BUNDLE)
      throw new AnchorEvalError(
        "unsupported",
        `${manifest.benchmark}@${manifest.version} takes ${takes} bytes of memory, more than the ${LARGEST_BUNDLE} of a Worker: estimate with the SDK, one scenario at a time`,
      );
    return this.#cached("bundle", digest, () => loadBundle(this.#source(published)), takes);
  }

  /** A bundle with the names of all its items; the version may be `latest`. @throws AnchorEvalError as {@link bundle} */
  async bundleWithItems(ref: BundleRef): Promise<{ readonly bundle: Bundle; readonly items: ItemLines }> {
    const published = await this.#resolved(ref);
    const { benchmark, version } = published.manifest;
    const [{ bundle }, items] = await Promise.all([this.open({ benchmark, version }), this.#itemLines(published)]);
    return { bundle, items };
  }

  #itemLines(published: PublishedBundle): Promise<ItemLines> {
    const { digest, manifest } = published;
    const takes = bytesOf(manifest, "items.jsonl") + 4 * itemTotal(manifest);
    return this.#cached("items", digest, () => loadItemLines(this.#source(published), manifest), takes);
  }

  /** A bundle's routing model; the version may be `latest`. @throws AnchorEvalError as {@link loadRouting} */
  async routing(ref: BundleRef): Promise<BundleRouting> {
    const published = await this.#resolved(ref);
    const takes = bytesOf(published.manifest, "routing.safetensors");
    return this.#cached("routing", published.digest, () => loadRouting(this.#source(published)), takes);
  }

  /** The bytes of a file beside a version's own: manifest.sig or card.md. @throws AnchorEvalError `not_found`, `unavailable` */
  async companion(ref: BundleRef, name: "manifest.sig" | "card.md"): Promise<Uint8Array> {
    const { digest } = await this.published(ref);
    const { bucket, phases } = this.#setup;
    const { benchmark, version } = ref;
    const key =
      name === "card.md" ? cardKey(benchmark, version) : signatureKey(benchmark, digest.replace("sha256:", ""));
    const object = await phases.time("file", () => r2Store(bucket).get(key));
    if (object === null) throw new AnchorEvalError("not_found", `${benchmark}@${version} has no ${name}`);
    return object.bytes;
  }

  /**
   * A file's description in the manifest, and its bytes.
   * @throws AnchorEvalError `not_found`; `open` as {@link openFile}
   */
  async file(ref: BundleRef, name: Exclude<BundleFileName, "manifest.json">) {
    const published = await this.published(ref);
    const { manifest } = published;
    const file = fileOf(manifest, name);
    if (!file) throw new AnchorEvalError("not_found", `${manifest.benchmark}@${manifest.version} has no ${name}`);
    const { bucket, caches, deadline, phases } = this.#setup;
    const origin = { bucket, source: this.#source(published), manifest, room: caches.files, deadline };
    return { ...file, open: (range: ByteRange | null) => phases.time("file", () => openFile(origin, file, range)) };
  }

  async #resolved({ benchmark, version }: BundleRef): Promise<PublishedBundle> {
    return this.published({ benchmark, version: version === LATEST ? await this.latest(benchmark) : version });
  }

  /** A version's files, without reading the manifest again; whole files of open benchmarks are shared with other isolates. */
  #source({ manifest, bytes }: PublishedBundle): BundleSource {
    const source = r2Source(this.#setup.bucket, manifest);
    const read: BundleSource["read"] = (name, options) => {
      if (name === "manifest.json") return Promise.resolve(bytes);
      const file = fileOf(manifest, name);
      const load = (): Promise<Uint8Array | null> => source.read(name, options);
      const isShared = file && !options?.range && file.bytes <= LARGEST_HELD;
      return isShared ? this.#shared(manifest.benchmark, file.sha256, load) : load();
    };
    return { name: source.name, read };
  }

  /** SHA-256 of a version's manifest if the index is in memory; it is not read for this. */
  #knownDigest(benchmark: string, version: string): string | null {
    const index = this.#setup.caches.index.peek(benchmark);
    const entry = index?.versions.find((published) => published.version === version);
    return entry ? entry.digest.replace("sha256:", "") : null;
  }

  #shared(benchmark: string, sha256: string, load: () => Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    const { contents, isProtected, keepAlive } = this.#setup;
    return contents && !isProtected(benchmark) ? throughCache(contents, sha256, load, keepAlive) : load();
  }

  async #entry({ benchmark, version }: BundleRef): Promise<IndexEntry | undefined> {
    return (await this.#index(benchmark)).versions.find((published) => published.version === version);
  }

  #index(benchmark: string): Promise<BundleIndex> {
    return this.#cached("index", benchmark, async () => {
      const store = r2Store(this.#setup.bucket);
      const [object, shipped] = await Promise.all([
        store.get(indexKey(benchmark)),
        this.#setup.shipped?.(benchmark) ?? [],
      ]);
      const stored = object && parseIndex(object.bytes);
      if (stored !== null && shipped.length === 0) return stored;
      // A deployment may bring versions that the index in the bucket hasn't, and take them away again.
      const versions = [...(stored?.versions ?? []), ...shipped];
      const index = await completeIndex(store, benchmark, versions.length === 0 ? null : { benchmark, latest: null, versions }); // prettier-ignore
      return stored?.log ? { ...index, log: stored.log } : index;
    });
  }

  /** @param takes - memory of the load. @unit bytes */
  #cached<Phase extends keyof CachedValues>(
    phase: Phase,
    key: string,
    load: () => Promise<CachedValues[Phase]>,
    takes = 0,
  ): Promise<CachedValues[Phase]> {
    const { phases, keepAlive } = this.#setup;
    const caches: ValueCaches = this.#setup.caches;
    return phases.time(phase, () => caches[phase].get(key, { load, takes, keepAlive }));
  }
}

/** Memory that the decoded bundle takes, approximately as `Bundle.byteLength` counts. @unit bytes */
export function memoryOf(manifest: Manifest): number {
  return bytesOf(manifest, "parameters.safetensors") + 3 * bytesOf(manifest, "anchors.jsonl") + 8 * itemTotal(manifest);
}

function fileOf({ files }: Manifest, name: BundleFileName): FileManifest | undefined {
  return files.find((file) => file.name === name);
}

/** Length of a file; 0 if the bundle has none. @unit bytes */
function bytesOf(manifest: Manifest, name: BundleFileName): number {
  return fileOf(manifest, name)?.bytes ?? 0;
}
