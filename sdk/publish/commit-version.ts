import { manifestKey } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { sha256 } from "../digest.ts";
import type { BundleStore } from "./bundle-store.ts";
import { equalBytes } from "./equal-bytes.ts";
import { updateIndex, type UpdateOptions } from "./update-index.ts";

/** A version to commit: its name, and manifest.json as it will stand there for good. */
export interface VersionCommit {
  readonly benchmark: string;
  readonly version: string;
  readonly manifest: Uint8Array;
}

/** What was published. */
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
 * Whether a version is published already.
 * @throws AnchorEvalError `version_conflict` where it is, with another manifest
 */
export async function isCommitted(
  store: Pick<BundleStore, "get">,
  { benchmark, version, manifest }: VersionCommit,
): Promise<boolean> {
  const there = await store.get(manifestKey(benchmark, version));
  if (there === null) return false;
  if (equalBytes(there.bytes, manifest)) return true;
  throw new AnchorEvalError(
    "version_conflict",
    `${benchmark}@${version} is published already with other content: versions never change, give this one another number`,
  );
}

/**
 * Commits a version, all of whose files must be there: creates its manifest, then brings the index up to date. Of many
 * that commit the same version at once one creates it; the others are told `already`, or refused where theirs is another.
 * @throws AnchorEvalError `version_conflict`, `unavailable`
 */
export async function commitVersion(
  store: BundleStore,
  commit: VersionCommit,
  options: UpdateOptions = {},
): Promise<PublishResult> {
  const { benchmark, version, manifest } = commit;
  const digest = `sha256:${await sha256(manifest)}`;
  const created =
    !(await isCommitted(store, commit)) && (await store.putIfAbsent(manifestKey(benchmark, version), manifest));
  if (!created) await isCommitted(store, commit);
  const { latest } = await updateIndex(store, benchmark, digest, options);
  return { benchmark, version, digest, status: created ? "published" : "already", latest };
}
