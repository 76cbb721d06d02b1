import type { BundleSource } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { sha256 } from "../digest.ts";

/**
 * The bytes of a bundle's manifest, and the bundle's digest, theirs.
 * @throws AnchorEvalError `not_found` where there is none, what the source throws
 */
export async function readManifest(
  source: BundleSource,
  options: { readonly signal?: AbortSignal },
): Promise<{ readonly bytes: Uint8Array; readonly digest: string }> {
  const bytes = await source.read("manifest.json", options);
  if (bytes === null) throw new AnchorEvalError("not_found", `${source.name} has no manifest.json: no bundle is there`);
  return { bytes, digest: `sha256:${await sha256(bytes)}` };
}
