import { parseSignatures } from "../core/bundle/signature.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { isSignedBy } from "../bundles/trusted-source.ts";

export interface CheckedSignature {
  /** The public key, base64url. */
  readonly key: string;
  /** That the key's owner signed this manifest; whose key it is, nobody can tell from it. */
  readonly valid: boolean;
}

/**
 * Checks every signature that lies beside a bundle's manifest.
 * @returns none where the bundle isn't signed; null where manifest.sig can't be read
 */
export async function checkSignatures(
  source: BundleSource,
  manifest: Uint8Array,
  options: { signal?: AbortSignal } = {},
): Promise<readonly CheckedSignature[] | null> {
  const bytes = (await source.readSignatures?.(options)) ?? null;
  if (bytes === null) return [];
  const signatures = parseSignatures(bytes);
  if (signatures === null) return null;
  return Promise.all(signatures.map(async (own) => ({ key: own.key, valid: await isSignedBy(manifest, own) })));
}
