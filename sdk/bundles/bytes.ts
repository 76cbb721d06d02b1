import { hexOf, sha256Hex } from "../core/bundle/digest.ts";

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

/** Bytes in base64url, without padding (RFC 4648, §5). @example toBase64Url(Uint8Array.of(251, 255)) // "-_8" */
export function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes of a text in base64url; null where it is none. @example fromBase64Url("+/") // null */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  } catch {
    return null; // of no possible length
  }
}

/** Whether two contents are the same. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
