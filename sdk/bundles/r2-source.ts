import type { BundleSource } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { blobKey, manifestKey, signatureKey } from "../core/bundle/names.ts";
import type { Manifest } from "../core/bundle/manifest.ts";
import { parseManifest } from "../core/bundle/parse-manifest.ts";
import { sha256 } from "../digest.ts";

/** The part of Cloudflare's R2Bucket that is read here. */
export interface R2BucketLike {
  get(
    key: string,
    options?: { range?: { offset: number; length: number } },
  ): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
}

/**
 * Reads a published bundle from an R2 bucket: the version's manifest, and the other files by their digests.
 * @example await loadBundle(r2Source(env.BUNDLES, { benchmark: "helm-lite", version: "1.0.0" }))
 */
export function r2Source(bucket: R2BucketLike, ref: { benchmark: string; version: string }): BundleSource {
  const name = `R2 ${ref.benchmark}@${ref.version}`;
  const get = async (key: string, range?: { begin: number; end: number }): Promise<Uint8Array | null> => {
    try {
      const object = await bucket.get(
        key,
        range && { range: { offset: range.begin, length: range.end - range.begin } },
      );
      return object && new Uint8Array(await object.arrayBuffer());
    } catch (cause) {
      throw new AnchorEvalError("unavailable", `${name}: the bucket could not be read`, { cause });
    }
  };
  let manifest: Promise<Manifest | null> | undefined;
  const readManifest = (): Promise<Manifest | null> =>
    (manifest ??= get(manifestKey(ref.benchmark, ref.version)).then(
      (bytes) => bytes && parseManifest(bytes),
      (error: unknown) => {
        manifest = undefined;
        throw error;
      },
    ));
  return {
    name,
    readSignatures: async () => {
      const bytes = await get(manifestKey(ref.benchmark, ref.version));
      return bytes && get(signatureKey(ref.benchmark, await sha256(bytes)));
    },
    read: async (file, { range } = {}) => {
      if (file === "manifest.json") {
        const bytes = await get(manifestKey(ref.benchmark, ref.version), range);
        if (bytes !== null && !range) manifest = Promise.resolve(parseManifest(bytes));
        return bytes;
      }
      const described = (await readManifest())?.files.find((candidate) => candidate.name === file);
      return described ? get(blobKey(ref.benchmark, described.sha256), range) : null;
    },
  };
}
