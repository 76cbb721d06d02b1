import { loadBundle } from "../../../sdk/bundles/load-bundle.ts";
import { readBundleFile } from "../../../sdk/bundles/read-file.ts";
import { equalBytes, sha256 } from "../../../sdk/bundles/bytes.ts";
import {
  blobKey,
  type BundleFileName,
  cardKey,
  fileKey,
  plainSignatureKey,
  signatureKey,
} from "../../../sdk/core/bundle/names.ts";
import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import {
  encodeSignatures,
  type ManifestSignature,
  mergeSignatures,
  parseSignatures,
} from "../../../sdk/core/bundle/signature.ts";
import type { Bundle, BundleSource } from "../../../sdk/core/bundle/bundle.ts";
import { AnchorEvalError, checkNames } from "../../../sdk/core/errors.ts";
import { estimateFromAnchors } from "../../../sdk/estimate/estimate-from-anchors.ts";
import type { Estimate } from "../../../sdk/estimate/types.ts";
import { changeObject, type BundleStore } from "../../../sdk/bundles/bundle-store.ts";
import type { UpdateOptions } from "./update-index.ts";
import { commitVersion, isCommitted, type PublishResult } from "./versions.ts";

/** How a bundle is published. */
export interface PublishOptions extends UpdateOptions {
  /** Also writes every file as `bundles/<benchmark>/<version>/<file>`, so that any static host serves the bundle. @default false */
  readonly plainFiles?: boolean;
  /** manifest.sig, where the bundle is signed; added to those that are there. */
  readonly signatures?: Uint8Array | null;
  /** card.md; it takes the place of one that is there. @default that one stays */
  readonly card?: Uint8Array | null;
}

/**
 * Publishes a bundle: contents under their digests, then the manifest, whose creation commits the version, then the log and
 * the index. In the log the publisher is the key that signed, unless `publisher` names another. Whoever publishes the same bundle again finishes what a publisher that died has begun, and mends damaged contents.
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
  checkNames(options, {
    pause: true,
    publisher: true,
    now: true,
    plainFiles: true,
    signatures: true,
    card: true,
  });
  const { manifest, manifestBytes, source } = await checkedBundle(files);
  const { benchmark, version } = manifest;
  const contents = await Promise.all(
    manifest.files.map(async (file) => {
      const name = file.name as BundleFileName;
      return { name, bytes: await readBundleFile(source, manifest, name), sha256: file.sha256 };
    }),
  );

  const ensureContents = async (): Promise<void> => {
    const there = new Set(await store.list(blobKey(benchmark, "")));
    for (const { bytes, sha256: hash } of contents)
      if (!there.has(hash)) await store.putIfAbsent(blobKey(benchmark, hash), bytes);
  };
  const commit = { benchmark, version, manifest: manifestBytes, ensureContents };
  const again = await isCommitted(store, commit); // another one is refused before anything is written
  for (const { name, bytes, sha256: hash } of contents) {
    await putContent(store, blobKey(benchmark, hash), bytes, !again);
    if (options.plainFiles) await putContent(store, fileKey(benchmark, version, name), bytes);
  }
  if (options.signatures) {
    const bytes = await putSignatures(store, signatureKey(benchmark, await sha256(manifestBytes)), options.signatures);
    if (options.plainFiles) await putContent(store, plainSignatureKey(benchmark, version), bytes);
  }
  const [signer] = (options.signatures && parseSignatures(options.signatures)) ?? [];
  const result = await commitVersion(store, commit, { publisher: signer?.key ?? null, ...options });
  // After the commit: before it, the version might become another publisher's.
  const { card } = options;
  if (card) await changeObject(store, cardKey(benchmark, version), () => card);
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

/**
 * Adds signatures of a manifest to those that lie there: a new key's beside the old one's.
 * @param bytes - manifest.sig
 * @returns manifest.sig as it is now
 * @throws AnchorEvalError `bundle_invalid` where it can't be read, `unavailable`
 */
export async function putSignatures(store: BundleStore, key: string, bytes: Uint8Array): Promise<Uint8Array> {
  const added = readSignatures(bytes);
  return changeObject(store, key, (there) =>
    encodeSignatures(mergeSignatures((there && parseSignatures(there)) ?? [], added)),
  );
}

/** The signatures of a manifest.sig. @throws AnchorEvalError `bundle_invalid` */
export function readSignatures(bytes: Uint8Array): readonly ManifestSignature[] {
  const signatures = parseSignatures(bytes);
  if (signatures !== null) return signatures;
  throw new AnchorEvalError("bundle_invalid", "manifest.sig can't be read: sign the bundle again");
}

/** A bundle's files, read and checked before any of them is sent anywhere. */
interface CheckedBundle {
  readonly manifest: Manifest;
  /** manifest.json as it will be published. */
  readonly manifestBytes: Uint8Array;
  readonly source: BundleSource;
}

/** Forms that a bundle is tried with, in its order: what a publication costs is bounded. */
const MOST_FORMS_TRIED = 32;

/**
 * Estimates once with each form, every other answer right: parameters may have the right shapes and be garbage.
 * @throws AnchorEvalError `bundle_invalid` where there is no score in [0,1] or the estimate fails
 */
export function checkEstimates(bundle: Bundle): void {
  const scenarios = [...bundle.scenarios.values()];
  for (const { id } of bundle.manifest.forms.slice(0, MOST_FORMS_TRIED)) {
    const asked = scenarios.flatMap(({ forms }) => forms.get(id)!.itemIds);
    const refuse = (why: string, cause?: unknown): AnchorEvalError =>
      new AnchorEvalError("bundle_invalid", `the bundle can't be estimated with, form ${id}: ${why}: fit it again`, {
        cause,
      });
    let estimate: Estimate;
    try {
      estimate = estimateFromAnchors(bundle, new Map(asked.map((item, k) => [item, k % 2])), { form: id });
    } catch (cause) {
      throw refuse((cause as Error).message, cause);
    }
    const { score, interval } = estimate;
    const figures = [score, ...(interval ? [interval.low, interval.high] : [])];
    if (!figures.every((figure) => figure !== null && figure >= 0 && figure <= 1))
      throw refuse(`half of the answers right give ${figures.join(", ")}, not a score in [0,1]`);
  }
}

/**
 * Reads a bundle's files as a reader of the published bundle would, and estimates with it.
 * @throws AnchorEvalError `bundle_invalid`, `bundle_corrupt`, `bundle_format_unsupported`
 */
export async function checkedBundle(files: ReadonlyMap<BundleFileName, Uint8Array>): Promise<CheckedBundle> {
  const source: BundleSource = {
    name: "the bundle to publish",
    read: (file, { range } = {}) => {
      const bytes = files.get(file) ?? null;
      return Promise.resolve(range && bytes ? bytes.subarray(range.begin, range.end) : bytes);
    },
  };
  const bundle = await loadBundle(source);
  checkEstimates(bundle);
  const { manifest } = bundle;
  for (const name of files.keys())
    if (name !== "manifest.json" && !manifest.files.some((file) => file.name === name))
      throw new AnchorEvalError("bundle_invalid", `${name} is not in the manifest's list of files`);
  return { manifest, manifestBytes: files.get("manifest.json")!, source };
}
