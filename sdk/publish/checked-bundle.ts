import { loadBundle } from "../bundles/load-bundle.ts";
import type { Manifest } from "../core/bundle/manifest.ts";
import type { BundleFileName } from "../core/bundle/names.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";

/** A bundle's files, read and checked before any of them is sent anywhere. */
export interface CheckedBundle {
  readonly manifest: Manifest;
  /** manifest.json as it will be published. */
  readonly manifestBytes: Uint8Array;
  readonly source: BundleSource;
}

/**
 * Reads a bundle's files as a reader of the published bundle would.
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
  const { manifest } = await loadBundle(source);
  for (const name of files.keys())
    if (name !== "manifest.json" && !manifest.files.some((file) => file.name === name))
      throw new AnchorEvalError("bundle_invalid", `${name} is not in the manifest's list of files`);
  return { manifest, manifestBytes: files.get("manifest.json")!, source };
}
