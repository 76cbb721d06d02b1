import { createHash } from "node:crypto";
import { afterAll, beforeAll, vi } from "vitest";

/** Web Crypto's digests without a wait, in a file's tests: between two calls of a store an operation waits for nothing else, so that it is known when it has come to the next one. */
export function immediateDigest(): void {
  beforeAll(() => {
    const digest = (_: unknown, bytes: BufferSource): Promise<ArrayBuffer> =>
      Promise.resolve(
        new Uint8Array(
          createHash("sha256")
            .update(bytes as Uint8Array)
            .digest(),
        ).buffer,
      );
    vi.spyOn(crypto.subtle, "digest").mockImplementation(digest);
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });
}
