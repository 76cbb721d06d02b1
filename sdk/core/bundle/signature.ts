import { decodeJson, list, object, readOrNull, type Schema, text } from "./schema.ts";

/** A signature of a bundle's manifest.json, byte for byte, by Ed25519 (RFC 8032). */
export interface ManifestSignature {
  /** The public key, 32 bytes in base64url. */
  readonly key: string;
  /** 64 bytes in base64url. */
  readonly signature: string;
}

/** manifest.sig: beside the manifest, which it doesn't change. */
export const SIGNATURE_FILE = "manifest.sig";

/** 32 bytes in base64url: 43 characters, of which the last holds four bits. */
export const PUBLIC_KEY = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const SIGNATURE = /^[A-Za-z0-9_-]{85}[AQgw]$/;
/** Keys are replaced one by one: a manifest has few signatures. Chosen, not measured. */
const MOST_SIGNATURES = 16;

/** Signatures, as they stand in files. */
export const signatureList: Schema<readonly ManifestSignature[]> = list(
  object({ key: text({ pattern: PUBLIC_KEY }), signature: text({ pattern: SIGNATURE }) }),
);
const signed = object({ signatures: signatureList });

/** Reads manifest.sig; null where it is damaged. */
export function parseSignatures(bytes: Uint8Array): readonly ManifestSignature[] | null {
  const signatures = readOrNull(signed, () => decodeJson(bytes))?.signatures;
  return signatures && signatures.length <= MOST_SIGNATURES ? signatures : null;
}

/** Writes manifest.sig. */
export function encodeSignatures(signatures: readonly ManifestSignature[]): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ signatures })}\n`);
}

/** Both, each key's newer one once, ordered by key: the same whoever merges. */
export function mergeSignatures(
  older: readonly ManifestSignature[],
  newer: readonly ManifestSignature[],
): ManifestSignature[] {
  const byKey = new Map([...older, ...newer].map((signature) => [signature.key, signature]));
  return [...byKey.values()].sort((left, right) => (left.key < right.key ? -1 : 1));
}
