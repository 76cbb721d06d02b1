import { AnchorEvalError } from "anchoreval";
import { fromBase64Url } from "anchoreval/internal/bundles/bytes";
import { hexOf } from "anchoreval/internal/core/bundle/digest";
import { checkRoots, currentRoot, type RootChain } from "anchoreval/internal/features/trust/sdk/root-chain";
import { parseTrustFile, type RootStatement, type TrustFile } from "anchoreval/internal/features/trust/sdk/statements";
import { requireBundleKey } from "anchoreval/internal/features/trust/sdk/trust-root";
import { misconfigured } from "../../../workers/src/platform/read-setting.ts";

export interface TrustEnv {
  /**
   * Public keys (base64url, comma-separated), one of which must have signed what is published here; or the content of a
   * root.json, which lists them. @default any bundle
   */
  readonly TRUSTED_KEYS?: string;
  /** PEM of the key that signs indexes, a secret; the root in TRUSTED_KEYS lists it. Without it indexes aren't signed. */
  readonly INDEX_KEY?: string;
}

/** The one that the trunk doesn't read. */
export const TRUST_NAMES = { INDEX_KEY: true } as const;

interface RootSettings {
  readonly roots: TrustFile["roots"];
  readonly indexKey: Uint8Array<ArrayBuffer> | null;
}

/**
 * Reads TRUSTED_KEYS and INDEX_KEY. A root is told from keys by its first letter.
 * @returns null for keys, or nothing
 * @throws HttpProblem `misconfigured` that names the setting; of secrets never the content
 */
export function rootSettings({ TRUSTED_KEYS, INDEX_KEY }: TrustEnv): RootSettings | null {
  const isRoot = typeof TRUSTED_KEYS === "string" && TRUSTED_KEYS.trim().startsWith("{");
  const file = isRoot ? parseTrustFile(new TextEncoder().encode(TRUSTED_KEYS)) : null;
  if (isRoot && file === null) throw misconfigured("TRUSTED_KEYS is no root.json: `anchoreval keys root` makes one");
  if (INDEX_KEY && file === null)
    throw misconfigured("INDEX_KEY signs what a root delegates to it, and TRUSTED_KEYS is no root.json");
  return file && { roots: file.roots, indexKey: INDEX_KEY ? signingKey(INDEX_KEY) : null };
}

/** PKCS #8 of an Ed25519 key (RFC 8410): this, and the key's 32 bytes. */
const ED25519 = "302e020100300506032b657004220420";

function signingKey(secret: unknown): Uint8Array<ArrayBuffer> {
  const [, base64 = ""] = /^-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----$/.exec(String(secret).trim()) ?? []; // prettier-ignore
  const bytes = fromBase64Url(base64.replace(/[\s=]/g, "").replaceAll("+", "-").replaceAll("/", "_"));
  // Its content is secret: not even a part of it is shown.
  if (bytes?.length !== 48 || hexOf(bytes.subarray(0, 16)) !== ED25519)
    throw misconfigured("INDEX_KEY is no private key: `anchoreval keys make` makes one (PEM)");
  return bytes;
}

/** Requires a signature of what is published by a key that the root lists for bundles; null where TRUSTED_KEYS isn't a root. */
export function rootSigners(
  env: TrustEnv,
): ((manifest: Uint8Array, signatures: Uint8Array | null, now: number) => Promise<void>) | null {
  const settings = rootSettings(env);
  if (settings === null) return null;
  return async (manifest, signatures, now) => {
    const { chain } = await trustedRoot(settings.roots, now);
    await requireBundleKey(chain, manifest, signatures, "the bundle");
  };
}

export interface TrustedRoot {
  readonly chain: RootChain;
  readonly root: RootStatement;
}

/**
 * Checks the root of TRUSTED_KEYS.
 * @param now - milliseconds since 1970
 * @throws HttpProblem `misconfigured` where a signature is missing or the root has expired: its operator has to set another
 */
export async function trustedRoot(roots: TrustFile["roots"], now: number): Promise<TrustedRoot> {
  try {
    const chain = await checkRoots(roots, "its root.json");
    return { chain, root: currentRoot(chain, now) };
  } catch (error) {
    if (!(error instanceof AnchorEvalError && error.code === "bundle_untrusted")) throw error;
    throw misconfigured(`TRUSTED_KEYS: ${error.message}`);
  }
}
