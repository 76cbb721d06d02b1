/* eslint-disable @typescript-eslint/no-unnecessary-type-assertion -- Node and workerd type Web Crypto each in their way */
import { encodeSignatures } from "anchoreval/internal/core/bundle/signature";

/** A key of tests: its public half in base64url, and what it makes of a manifest. */
export interface SigningKey {
  readonly key: string;
  signature(manifest: Uint8Array): Promise<{ key: string; signature: string }>;
  /** manifest.sig with this key's signature alone. */
  file(manifest: Uint8Array): Promise<Uint8Array>;
  /** The private key, as `anchoreval keys make` writes it. */
  pem(): Promise<string>;
}

/** A new key, by the platform's Web Crypto. */
export async function signingKey(): Promise<SigningKey> {
  const pair = (await crypto.subtle.generateKey({ name: "Ed25519" }, true, ["sign", "verify"])) as CryptoKeyPair;
  const key = base64Url((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
  const signature = async (manifest: Uint8Array): Promise<{ key: string; signature: string }> => ({
    key,
    signature: base64Url(await crypto.subtle.sign("Ed25519", pair.privateKey, manifest as Uint8Array<ArrayBuffer>)),
  });
  const pem = async (): Promise<string> => {
    const bytes = new Uint8Array((await crypto.subtle.exportKey("pkcs8", pair.privateKey)) as ArrayBuffer);
    return `-----BEGIN PRIVATE KEY-----\n${btoa(String.fromCharCode(...bytes))}\n-----END PRIVATE KEY-----\n`;
  };
  return { key, signature, pem, file: async (manifest) => encodeSignatures([await signature(manifest)]) };
}

/** Bytes in base64url without padding. */
export function base64Url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
