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

/** `bundles/<benchmark>/blobs/<sha256>`: a file's content, once. */
export const blobKey = (benchmark: string, sha256: string): string => `bundles/${benchmark}/blobs/${sha256}`;
