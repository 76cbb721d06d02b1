import { sha256 } from "../bytes.ts";
import { requestBytes, type RequestPolicy } from "../client/request.ts";
import { blobKey, CARD_FILE, cardKey, manifestKey, signatureKey, TRUST_FILE, trustKey } from "../core/bundle/names.ts";
import type { Manifest } from "../core/bundle/manifest.ts";
import { parseManifest } from "../core/bundle/parse-manifest.ts";
import { SIGNATURE_FILE } from "../core/bundle/signature.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";

/**
 * Reads a bundle over HTTP: from a Worker (`…/v1/bundles/{benchmark}/{version}`) or any static host's folder. Byte
 * ranges are asked for; a host without them is read whole.
 * @example httpSource("https://static.example.com/bundles/helm-lite/1.0.0/")
 */
export function httpSource(url: string | URL, policy: RequestPolicy = {}): BundleSource {
  if (!URL.canParse(url))
    throw new AnchorEvalError(
      "invalid_option",
      `${String(url)} is not a URL; a folder is read by folderSource of anchoreval/node`,
    );
  const base = new URL(url);
  base.search = "";
  base.hash = "";
  base.pathname = base.pathname.replace(/\/+$/, "");
  if (/\/v1\/bundles\/[^/]+\/[^/]+$/.test(base.pathname)) base.pathname += "/files";
  const root = base.href.replace(/\/$/, ""); // a host's root keeps its slash
  const get = (file: string, headers: Record<string, string>, signal?: AbortSignal) =>
    requestBytes(`${root}/${file}`, { headers }, { ...policy, ...(signal && { signal }) });
  return {
    name: root,
    readSignatures: async ({ signal } = {}) => (await get(SIGNATURE_FILE, {}, signal))?.bytes ?? null,
    // Beside the versions; a Worker's have their files a level deeper.
    readTrust: async ({ signal } = {}) =>
      (await get(`${root.endsWith("/files") ? "../" : ""}../${TRUST_FILE}`, {}, signal))?.bytes ?? null,
    readCard: async ({ signal } = {}) => (await get(CARD_FILE, {}, signal))?.bytes ?? null,
    read: async (file, { range, signal } = {}) => {
      const response = await get(file, range ? { range: `bytes=${range.begin}-${range.end - 1}` } : {}, signal);
      if (response === null) return null;
      return range && response.status === 200 ? response.bytes.subarray(range.begin, range.end) : response.bytes;
    },
  };
}

/** The part of Cloudflare's R2Bucket that is read here. */
export interface R2BucketLike {
  get(
    key: string,
    options?: { range?: { offset: number; length: number } },
  ): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
}

/**
 * Reads a published bundle from an R2 bucket: the version's manifest, and the other files by their digests.
 * @example await loadBundle(r2Source(env.BUNDLES, { benchmark: "helm-lite", version: "1.0.0" }))
 */
export function r2Source(bucket: R2BucketLike, ref: { benchmark: string; version: string }): BundleSource {
  const name = `R2 ${ref.benchmark}@${ref.version}`;
  const get = async (key: string, range?: { begin: number; end: number }): Promise<Uint8Array | null> => {
    try {
      const object = await bucket.get(
        key,
        range && { range: { offset: range.begin, length: range.end - range.begin } },
      );
      return object && new Uint8Array(await object.arrayBuffer());
    } catch (cause) {
      throw new AnchorEvalError("unavailable", `${name}: the bucket could not be read`, { cause });
    }
  };
  let manifest: Promise<Manifest | null> | undefined;
  const readManifest = (): Promise<Manifest | null> =>
    (manifest ??= get(manifestKey(ref.benchmark, ref.version)).then(
      (bytes) => bytes && parseManifest(bytes),
      (error: unknown) => {
        manifest = undefined;
        throw error;
      },
    ));
  return {
    name,
    readSignatures: async () => {
      const bytes = await get(manifestKey(ref.benchmark, ref.version));
      return bytes && get(signatureKey(ref.benchmark, await sha256(bytes)));
    },
    readTrust: () => get(trustKey(ref.benchmark)),
    readCard: () => get(cardKey(ref.benchmark, ref.version)),
    read: async (file, { range } = {}) => {
      if (file === "manifest.json") {
        const bytes = await get(manifestKey(ref.benchmark, ref.version), range);
        if (bytes !== null && !range) manifest = Promise.resolve(parseManifest(bytes));
        return bytes;
      }
      const described = (await readManifest())?.files.find((candidate) => candidate.name === file);
      return described ? get(blobKey(ref.benchmark, described.sha256), range) : null;
    },
  };
}

/** A source by its address, or itself. */
export function namedSource(source: string | URL | BundleSource): BundleSource {
  return typeof source === "string" || source instanceof URL ? httpSource(source) : source;
}
