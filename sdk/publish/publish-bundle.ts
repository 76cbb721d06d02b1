import { readBundleFile } from "../bundles/read-file.ts";
import { blobKey, fileKey, plainSignatureKey, signatureKey } from "../core/bundle/names.ts";
import type { BundleFileName } from "../core/bundle/names.ts";
import { sha256 } from "../digest.ts";
import type { BundleStore } from "./bundle-store.ts";
import { checkedBundle } from "./checked-bundle.ts";
import { commitVersion, isCommitted, type PublishResult } from "./commit-version.ts";
import { equalBytes } from "./equal-bytes.ts";
import { putSignatures } from "./put-signatures.ts";
import type { UpdateOptions } from "./update-index.ts";

/** How a bundle is published. */
export interface PublishOptions extends UpdateOptions {
  /** Also writes every file as `bundles/<benchmark>/<version>/<file>`, so that any static host serves the bundle. @default false */
  readonly plainFiles?: boolean;
  /** manifest.sig, where the bundle is signed; added to those that are there. */
  readonly signatures?: Uint8Array | null;
}

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
  const { manifest, manifestBytes, source } = await checkedBundle(files);
  const { benchmark, version } = manifest;
  const contents = await Promise.all(
    manifest.files.map(async (file) => {
      const name = file.name as BundleFileName;
      return { name, bytes: await readBundleFile(source, manifest, name), sha256: file.sha256 };
    }),
  );

  const commit = { benchmark, version, manifest: manifestBytes };
  const again = await isCommitted(store, commit); // another one is refused before anything is written
  for (const { name, bytes, sha256: hash } of contents) {
    await putContent(store, blobKey(benchmark, hash), bytes, !again);
    if (options.plainFiles) await putContent(store, fileKey(benchmark, version, name), bytes);
  }
  if (options.signatures) {
    const bytes = await putSignatures(store, signatureKey(benchmark, await sha256(manifestBytes)), options.signatures);
    if (options.plainFiles) await putContent(store, plainSignatureKey(benchmark, version), bytes);
  }
  const result = await commitVersion(store, commit, options);
  // A sweep that had looked at the manifests before this one was there may have removed a content since: see sweepBlobs.
  const kept = new Set(await store.list(blobKey(benchmark, "")));
  for (const { bytes, sha256: hash } of contents)
    if (!kept.has(hash)) await store.putIfAbsent(blobKey(benchmark, hash), bytes);
  return result;
}

/**
 * Writes a content that its key or version determines; mends one that was damaged.
 * @param anew - also where it is there already: an old one that no manifest names yet is young again, and isn't swept
 */
async function putContent(store: BundleStore, key: string, bytes: Uint8Array, anew = false): Promise<void> {
  const there = await store.get(key);
  if (there && !anew && equalBytes(there.bytes, bytes)) return;
  if (there && (await store.putIfMatch(key, bytes, there.etag))) return;
  await store.putIfAbsent(key, bytes); // nothing was there, or a sweep has just removed it
}
