import { equalBytes, sha256 } from "../../../sdk/bundles/bytes.ts";
import { parseManifest } from "../../../sdk/bundles/parse-manifest.ts";
import { parseYank, type Yank } from "../../../sdk/core/bundle/decode-manifest.ts";
import { indexKey, manifestKey, publisherKey, yankedKey } from "../../../sdk/core/bundle/names.ts";
import { AnchorEvalError, checkNames } from "../../../sdk/core/errors.ts";
import { type BundleIndex, parseIndex } from "../../../sdk/bundles/bundle-index.ts";
import { changeObject, encodeJson, putVersion, type BundleStore } from "../../../sdk/bundles/bundle-store.ts";
import { type ChangedVersion, signature, updateIndex, type UpdateOptions } from "./update-index.ts";

/** A version by its name, and manifest.json as it will stand there for good. */
interface VersionManifest {
  readonly benchmark: string;
  readonly version: string;
  readonly manifest: Uint8Array;
}

/** A version to commit. */
export interface VersionCommit extends VersionManifest {
  readonly ensureContents: NonNullable<ChangedVersion["ensureContents"]>;
}

/** The result of a publication. */
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

/**
 * Whether a version is published already: its manifest is there, or was, as the index says, and was damaged since.
 * @throws AnchorEvalError `version_conflict` where it is, with another manifest
 */
export async function isCommitted(store: Pick<BundleStore, "get">, commit: VersionManifest): Promise<boolean> {
  return (await stateOf(store, commit)) !== "absent";
}

/** @throws AnchorEvalError as {@link isCommitted} */
async function stateOf(
  store: Pick<BundleStore, "get">,
  { benchmark, version, manifest }: VersionManifest,
): Promise<"absent" | "whole" | "damaged"> {
  const there = await store.get(manifestKey(benchmark, version));
  if (there === null) return "absent";
  if (equalBytes(there.bytes, manifest)) return "whole";
  const index = await store.get(indexKey(benchmark));
  const listed = index && parseIndex(index.bytes)?.versions.find((entry) => entry.version === version);
  if (listed && listed.digest === `sha256:${await sha256(manifest)}`) return "damaged";
  throw new AnchorEvalError(
    "version_conflict",
    `${benchmark}@${version} is published already with other content: versions never change, give this one another number`,
  );
}

/**
 * Commits a version, all of whose files must be there: tells sweeps of them, creates the manifest, then brings log and index up
 * to date, once the files were seen to be there still. Of many that commit the same version at once one creates it; the others are told `already`, or refused where theirs is another. A
 * manifest that was damaged is written again.
 * @throws AnchorEvalError `version_conflict`, `unavailable`
 */
export async function commitVersion(
  store: BundleStore,
  commit: VersionCommit,
  options: UpdateOptions = {},
): Promise<PublishResult> {
  const { benchmark, version, manifest, ensureContents } = commit;
  const hash = await sha256(manifest);
  const digest = `sha256:${hash}`;
  let created = false;
  const place = manifestKey(benchmark, version);
  if (!(await isCommitted(store, commit))) {
    const contents = parseManifest(manifest).files.map((file) => file.sha256);
    const [key, by] = [publisherKey(benchmark, hash), encodeJson({ ...signature(options), contents })];
    const there = await store.get(key);
    await putVersion(store, key, by, there && there.etag); // or another publisher of this bundle has just done so
    await ensureContents(); // sweeps spare them from now on: what a manifest names is there when it is
    created = await store.putIfAbsent(place, manifest);
  }
  if (!created && (await stateOf(store, commit)) === "damaged") await changeObject(store, place, () => manifest);
  const { latest } = await updateIndex(store, { benchmark, version, digest, ensureContents }, options);
  return { benchmark, version, digest, status: created ? "published" : "already", latest };
}

/** Which version is taken back, and how. */
export interface YankOptions extends UpdateOptions {
  readonly benchmark: string;
  readonly version: string;
}

/**
 * Yanks a version, or takes that back: its `yanked.json` says so, and the index follows. A yanked version goes on answering
 * by its number, with a warning; it isn't listed and is never `latest`. Doing it again finishes what broke off.
 * @throws AnchorEvalError `not_found`, `unavailable`
 * @example await yankVersion(store, { benchmark: "mine", version: "1.0.0" }, { yanked: true, reason: "wrong keys: use 1.0.1" })
 */
export async function yankVersion(
  store: BundleStore,
  { benchmark, version, ...options }: YankOptions,
  yank: Yank,
): Promise<BundleIndex> {
  checkNames<UpdateOptions>(options, { pause: true, publisher: true, now: true });
  const manifest = await store.get(manifestKey(benchmark, version));
  if (manifest === null) throw new AnchorEvalError("not_found", `no bundle ${benchmark}@${version} is published here`);
  const record = encodeJson({ ...yank, ...signature(options) });
  await changeObject(store, yankedKey(benchmark, version), (there) =>
    there && isSame(parseYank(there), yank) ? there : record,
  );
  return updateIndex(store, { benchmark, version, digest: `sha256:${await sha256(manifest.bytes)}` }, options);
}

/** Whoever says again what is said already doesn't take the place of the one who said it first. */
function isSame(there: Yank, yank: Yank): boolean {
  return there.yanked === yank.yanked && (!there.yanked || !yank.yanked || there.reason === yank.reason);
}
