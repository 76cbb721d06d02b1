import { hexOf, sha256Hex } from "./core/bundle/digest.ts";

/**
 * SHA-256 as hex: the platform's where it has one (secure contexts, Node, Workers), else core's own.
 * @example await sha256(new TextEncoder().encode("abc")) // "ba7816bf…"
 */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const subtle = (globalThis as { crypto?: { subtle?: SubtleCrypto } }).crypto?.subtle;
  if (!subtle) return sha256Hex(bytes);
  const digest = await subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return hexOf(new Uint8Array(digest));
}
