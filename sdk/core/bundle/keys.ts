import type { BundleFileName } from "./manifest.ts";

/** Keys of published bundles, in R2 as in a static folder: the one place that spells them. */

/** `bundles/<benchmark>/index.json`: the versions and `latest`. */
export const indexKey = (benchmark: string): string => `bundles/${benchmark}/index.json`;

/** `bundles/<benchmark>/<version>/<file>`: where a static host has a version's files. */
export const fileKey = (benchmark: string, version: string, file: BundleFileName): string =>
  `bundles/${benchmark}/${version}/${file}`;

/** `bundles/<benchmark>/<version>/manifest.json`: its creation commits a version. */
export const manifestKey = (benchmark: string, version: string): string => fileKey(benchmark, version, "manifest.json");

/** `bundles/<benchmark>/<version>/yanked.json`: whether a version is yanked, and why; absent where it never was. */
export const yankedKey = (benchmark: string, version: string): string => `bundles/${benchmark}/${version}/yanked.json`;

/**
 * `bundles/<benchmark>/signatures/<sha256>`: the signatures of the manifest of this digest. Not the version's: they are
 * there before the manifest is, and whichever of two publishers wins, its own are the ones that count.
 */
export const signatureKey = (benchmark: string, sha256: string): string => `bundles/${benchmark}/signatures/${sha256}`;

/** `bundles/<benchmark>/<version>/manifest.sig`: where a static host has them. */
export const plainSignatureKey = (benchmark: string, version: string): string =>
  `bundles/${benchmark}/${version}/manifest.sig`;

/** `bundles/<benchmark>/blobs/<sha256>`: a file's content, once. */
export const blobKey = (benchmark: string, sha256: string): string => `bundles/${benchmark}/blobs/${sha256}`;
