import { loadBundle } from "../bundles/load-bundle.ts";
import { readBundleFile } from "../bundles/read-file.ts";
import { blobKey, fileKey, indexKey, manifestKey } from "../core/bundle/keys.ts";
import type { BundleFileName } from "../core/bundle/manifest.ts";
import type { BundleSource } from "../core/bundle/source.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { completeIndex, encodeIndex, parseIndex, type BundleIndex } from "./bundle-index.ts";
import type { BundleStore } from "./bundle-store.ts";

export interface PublishOptions {
  /** Also writes every file as `bundles/<benchmark>/<version>/<file>`, so that any static host serves the bundle. @default false */
  readonly plainFiles?: boolean;
  /** Waits before another try at an index that another publisher is changing. @default setTimeout */
  readonly pause?: (milliseconds: number) => Promise<void>;
}

export interface PublishResult {
  readonly benchmark: string;
  readonly version: string;
  /** Digest of the bundle, `sha256:…`. */
  readonly digest: string;
  /** `already`: this very bundle was there before. */
  readonly status: "published" | "already";
  /** The benchmark's latest version now. */
  readonly latest: string | null;
}

/** R2 allows one write a second per key; the index is the only key that publishers share. */
const INDEX_ATTEMPTS = 8;
const INDEX_WAIT = 1100;

/**
 * Publishes a bundle: contents under their digests, then the manifest, whose creation commits the version, then the
 * index. Whoever publishes the same bundle again finishes what a publisher that died has begun, and mends damaged contents.
 *
 * @param files - as `encodeBundle` or `anchoreval fit` wrote them
 * @throws AnchorEvalError `bundle_invalid`, `bundle_corrupt`, `bundle_format_unsupported` (nothing was written),
 * `version_conflict` where the version is there with other content, `unavailable`
 * @example await publishBundle(r2Store(env.BUNDLES), files)
 */
export async function publishBundle(
  store: BundleStore,
  files: ReadonlyMap<BundleFileName, Uint8Array>,
  options: PublishOptions = {},
): Promise<PublishResult> {
  const source = filesSource(files);
  const { manifest, digest } = await loadBundle(source);
  const { benchmark, version } = manifest;
  for (const name of files.keys())
    if (name !== "manifest.json" && !manifest.files.some((file) => file.name === name))
      throw new AnchorEvalError("bundle_invalid", `${name} is not in the manifest's list of files`);
  const contents = await Promise.all(
    manifest.files.map(async (file) => {
      const name = file.name as BundleFileName;
      return { name, bytes: await readBundleFile(source, manifest, name), sha256: file.sha256 };
    }),
  );

  const manifestBytes = files.get("manifest.json")!;
  const commit = manifestKey(benchmark, version);
  const refuseOther = (there: Uint8Array): void => {
    if (!equalBytes(there, manifestBytes))
      throw new AnchorEvalError(
        "version_conflict",
        `${benchmark}@${version} is published already with other content: versions never change, give this one another number`,
      );
  };
  const before = await store.get(commit);
  if (before) refuseOther(before.bytes);
  for (const { name, bytes, sha256: hash } of contents) {
    await putContent(store, blobKey(benchmark, hash), bytes);
    if (options.plainFiles) await putContent(store, fileKey(benchmark, version, name), bytes);
  }
  if (!before && !(await store.putIfAbsent(commit, manifestBytes))) refuseOther((await store.get(commit))!.bytes);
  const { latest } = await updateIndex(store, benchmark, digest, options.pause ?? sleep);
  return { benchmark, version, digest, status: before ? "already" : "published", latest };
}

function filesSource(files: ReadonlyMap<BundleFileName, Uint8Array>): BundleSource {
  return {
    name: "the bundle to publish",
    read: (file, { range } = {}) => {
      const bytes = files.get(file) ?? null;
      return Promise.resolve(range && bytes ? bytes.subarray(range.begin, range.end) : bytes);
    },
  };
}

/** Writes a content that its key or version determines; mends one that was damaged. */
async function putContent(store: BundleStore, key: string, bytes: Uint8Array): Promise<void> {
  const there = await store.get(key);
  if (there && equalBytes(there.bytes, bytes)) return;
  if (there) await store.putIfMatch(key, bytes, there.etag);
  else await store.putIfAbsent(key, bytes);
}

/** Adds what the index lacks, unless another publisher is quicker: then once more from what that one wrote. */
async function updateIndex(
  store: BundleStore,
  benchmark: string,
  digest: string,
  pause: (milliseconds: number) => Promise<void>,
): Promise<BundleIndex> {
  const key = indexKey(benchmark);
  const jitter = Number.parseInt(digest.slice(-3), 16) / 4; // up to a second, other for every bundle
  let cause: unknown;
  for (let attempt = 0; attempt < INDEX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pause(INDEX_WAIT + attempt * jitter);
    try {
      const there = await store.get(key);
      const index = await completeIndex(store, benchmark, there && parseIndex(there.bytes));
      const bytes = encodeIndex(index);
      if (there && equalBytes(there.bytes, bytes)) return index;
      if (there ? await store.putIfMatch(key, bytes, there.etag) : await store.putIfAbsent(key, bytes)) return index;
    } catch (error) {
      if (!(error instanceof AnchorEvalError && error.code === "unavailable")) throw error;
      cause = error;
    }
  }
  throw new AnchorEvalError(
    "unavailable",
    `${benchmark}: the version is published, its index.json could not be updated in ${INDEX_ATTEMPTS} attempts; publish again to finish`,
    { cause },
  );
}

function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
