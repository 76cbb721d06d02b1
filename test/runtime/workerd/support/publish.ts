import type { BundleFileName } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { startApp } from "./worker.ts";

/** A token of tests, and the record of it that the secret keeps. */
export function testToken(
  id: string,
  scopes: string[],
  expires: string | null = null,
): { bearer: { authorization: string }; record: object } {
  const token = `test-${id}`;
  const sha256 = sha256Hex(new TextEncoder().encode(token));
  return { bearer: { authorization: `Bearer ${token}` }, record: { id, sha256, scopes, expires } };
}

/** Uploads a bundle's files and publishes it, as a client does. @returns the answer to the publication */
export async function publishOverHttp(
  request: ReturnType<typeof startApp>,
  files: ReadonlyMap<BundleFileName, Uint8Array>,
  headers: Record<string, string>,
): Promise<Response> {
  const { benchmark, version } = JSON.parse(new TextDecoder().decode(files.get("manifest.json"))) as {
    benchmark: string;
    version: string;
  };
  for (const [name, bytes] of files) {
    if (name === "manifest.json") continue;
    const response = await request(`/v1/bundles/${benchmark}/blobs/${sha256Hex(bytes)}`, put(bytes, headers));
    if (!response.ok) return response;
  }
  return request(`/v1/bundles/${benchmark}/${version}/publication`, publication(files.get("manifest.json")!, headers));
}

/** What a PUT of a file needs. */
export function put(bytes: Uint8Array, headers: Record<string, string>): RequestInit {
  return { method: "PUT", body: bytes, headers: { "content-length": String(bytes.length), ...headers } };
}

/** What the publication of a manifest needs. */
export function publication(manifest: Uint8Array | string, headers: Record<string, string>): RequestInit {
  return { method: "POST", body: manifest, headers: { "content-type": "application/json", ...headers } };
}
