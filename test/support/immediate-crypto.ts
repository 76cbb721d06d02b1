import { createHash, createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, vi } from "vitest";

/**
 * Web Crypto's digests and Ed25519's checks without a wait, in a file's tests: between two calls of a store an operation waits
 * for nothing else, so that it is known when it has come to the next one.
 */
export function immediateCrypto(): void {
  beforeAll(() => {
    const digest = (_: unknown, bytes: BufferSource): Promise<ArrayBuffer> =>
      Promise.resolve(
        new Uint8Array(
          createHash("sha256")
            .update(bytes as Uint8Array)
            .digest(),
        ).buffer,
      );
    const importKey = (_: unknown, raw: Uint8Array) =>
      Promise.resolve(
        createPublicKey({
          format: "jwk",
          key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(raw).toString("base64url") },
        }),
      );
    const check = (_: unknown, key: unknown, signature: Uint8Array, bytes: Uint8Array) =>
      Promise.resolve(verify(null, bytes, key as ReturnType<typeof createPublicKey>, signature));
    vi.spyOn(crypto.subtle, "digest").mockImplementation(digest);
    vi.spyOn(crypto.subtle, "importKey").mockImplementation(importKey as never);
    vi.spyOn(crypto.subtle, "verify").mockImplementation(check as never);
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });
}
