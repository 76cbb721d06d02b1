import { sha256Hex, sha256Text } from "./digest.ts";

/** Longest manifest.json that is read: that of a thousand scenarios in six forms has 14 MB. @unit bytes */
export const MOST_MANIFEST_BYTES = 1 << 24;

/** The first minor of the format whose manifests begin with their checksum. */
export const CHECKSUM_MINOR = 4;

/** What manifest.json begins with: the SHA-256 of all bytes after it. */
const HEAD = /^\{"checksum":"([0-9a-f]{64})",/;
const HEAD_BYTES = 79;

/**
 * Writes manifest.json: `{"checksum":"…",`, then the other fields in their order, as JSON without spaces, and a line feed.
 * The checksum is the SHA-256, in lowercase hex, of every byte after the comma that follows it.
 * @param manifest - a checksum that it has is left out
 */
export function encodeManifest(manifest: object): Uint8Array<ArrayBuffer> {
  const rest = `${JSON.stringify({ ...manifest, checksum: undefined }).slice(1)}\n`;
  return new TextEncoder().encode(`{"checksum":"${sha256Text(rest)}",${rest}`);
}

/** Whether the bytes of manifest.json are those that its checksum was made of; null where it doesn't begin with one. */
export function hasOwnChecksum(bytes: Uint8Array): boolean | null {
  const stated = HEAD.exec(String.fromCharCode(...bytes.subarray(0, HEAD_BYTES)))?.[1];
  return stated === undefined ? null : stated === sha256Hex(bytes.subarray(HEAD_BYTES));
}
