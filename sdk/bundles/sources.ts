import { sha256 } from "./bytes.ts";
import { readObject } from "./body.ts";
import { POLICY_OPTIONS, requestBytes, type RequestPolicy } from "./request.ts";
import {
  BENCHMARK_NAME,
  CARD_FILE,
  cardKey,
  blobKey,
  LATEST,
  manifestKey,
  signatureKey,
  sweptKey,
  TRUST_FILE,
  trustKey,
  VERSION,
  YANKED_FILE,
  yankedKey,
} from "../core/bundle/names.ts";
import type { Manifest } from "../core/bundle/manifest.ts";
import { decodeJson } from "../core/bundle/schema.ts";
import { parseManifest } from "./parse-manifest.ts";
import { parseYank, type Yank } from "../core/bundle/decode-manifest.ts";
import { SIGNATURE_FILE } from "../core/bundle/signature.ts";
import type { BundleSource, ByteRange, ExpectedBundle } from "../core/bundle/bundle.ts";
import { AnchorEvalError, checkNames, invalidOption } from "../core/errors.ts";
import { checkLength, fileBound } from "./read-file.ts";

/**
 * Reads a bundle over HTTP: from a Worker (`…/v1/bundles/{benchmark}/{version}`) or any static host's folder. Byte
 * ranges are asked for; a host without them is read whole.
 * @example httpSource("https://static.example.com/bundles/helm-lite/1.0.0/")
 */
export function httpSource(url: string | URL, policy: RequestPolicy = {}): BundleSource {
  checkNames(policy, POLICY_OPTIONS);
  if (!URL.canParse(url))
    throw invalidOption(`${String(url)} is not a URL; a folder is read by folderSource of anchoreval/node`);
  const base = new URL(url);
  const expected = expectedAt(base);
  base.search = "";
  base.hash = "";
  base.pathname = base.pathname.replace(/\/+$/, "");
  if (/\/v1\/bundles\/[^/]+\/[^/]+$/.test(base.pathname)) base.pathname += "/files";
  const root = base.href.replace(/\/$/, ""); // a host's root keeps its slash
  const get = (file: string, signal?: AbortSignal, fileBytes?: number, range?: ByteRange) =>
    requestBytes(
      new URL(`${root}/${file}`).href,
      range ? { headers: { range: `bytes=${range.begin}-${range.end - 1}` } } : {},
      { ...policy, ...(signal && { signal }) },
      // Whatever comes of a file, no more than the range is held: a host may have no ranges, or send more.
      (status) => {
        const part = status === 206 && range ? { begin: 0, end: range.end - range.begin } : range;
        return fileBound(root, file, fileBytes, part);
      },
    );
  const whole =
    (file: string) =>
    async ({ signal }: { signal?: AbortSignal } = {}) =>
      (await get(file, signal))?.bytes ?? null;
  return {
    name: root,
    expected,
    readSignatures: whole(SIGNATURE_FILE),
    // Beside the versions; a Worker's have their files a level deeper.
    readTrust: whole(`${root.endsWith("/files") ? "../" : ""}../${TRUST_FILE}`),
    readCard: whole(CARD_FILE),
    readYank: ({ signal } = {}) => askedYank(root, expected.version, { ...policy, ...(signal && { signal }) }),
    read: async (file, { range, fileBytes, signal } = {}) => {
      if (range) checkLength(root, file, Math.min(range.end, fileBytes ?? range.end) - range.begin);
      const response = await get(file, signal, fileBytes, range);
      if (response === null) return null;
      if (response.fileLength !== undefined) checkLength(root, file, response.fileLength, fileBytes, range);
      return response.bytes;
    },
  };
}

/** Longest wait for whether a version is yanked: nobody's bundle comes later for it. @unit milliseconds */
const YANK_TIMEOUT = 3000;

/**
 * Whether a version is yanked, in one small request: of a Worker the list of its versions, of a static host yanked.json beside
 * the manifest. Null where no answer comes: a host may have neither.
 */
async function askedYank(root: string, version: string | undefined, policy: RequestPolicy): Promise<Yank | null> {
  const versions = /^(.*\/bundles\/[^/]+)\/[^/]+\/files$/.exec(root)?.[1];
  if (versions !== undefined && version === undefined) return null; // latest, which none is that is yanked
  try {
    const url = new URL(versions ?? `${root}/${YANKED_FILE}`).href;
    const file = versions === undefined ? YANKED_FILE : "index.json";
    const timeout = Math.min(YANK_TIMEOUT, policy.timeout ?? YANK_TIMEOUT);
    const answer = await requestBytes(url, {}, { ...policy, timeout, maxRetries: 0 }, () => fileBound(root, file));
    if (answer === null) return null;
    const body = decodeJson(answer.bytes); // a page that a host has for every missing file is none
    if (versions === undefined) return parseYank(answer.bytes);
    const { yanked } = body as { readonly yanked?: readonly { version: string; reason?: string }[] };
    const entry = yanked?.find((one) => one.version === version);
    return entry ? { yanked: true, reason: entry.reason ?? "no reason was given" } : null;
  } catch {
    return null;
  }
}

/**
 * The bundle that an address names: by its last parts, `bundles/{benchmark}/{version}`, and by `#sha256:…` after it.
 * @throws AnchorEvalError `invalid_option` for a digest that is none
 */
function expectedAt({ pathname, hash }: URL): ExpectedBundle {
  const [, benchmark = "", version = ""] = /\/bundles\/([^/]+)\/([^/]+?)(?:\/files)?\/*$/.exec(pathname) ?? [];
  const isVersion = VERSION.test(version);
  return {
    ...(BENCHMARK_NAME.test(benchmark) && (isVersion || version === LATEST) && { benchmark }),
    ...(isVersion && { version }),
    ...(hash.startsWith("#sha256:") && { digest: checkedDigest(hash.slice(1)) }),
  };
}

/** @throws AnchorEvalError `invalid_option` for what is no `sha256:…` */
export function checkedDigest(digest: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw invalidOption(`${digest} is no digest: it is sha256: and 64 lowercase hex digits`);
}

/** The part of Cloudflare's R2Bucket that is read here. */
export interface R2BucketLike {
  get(
    key: string,
    options?: { range?: { offset: number; length: number } },
  ): Promise<{ readonly size: number; arrayBuffer(): Promise<ArrayBuffer> } | null>;
}

/**
 * Reads a published bundle from an R2 bucket: the version's manifest, and the other files by their digests. Requests of a
 * Worker may share it: none waits for what another reads.
 * @param ref - the version; given its manifest, that isn't read for the other files' digests
 * @example await loadBundle(r2Source(env.BUNDLES, { benchmark: "helm-lite", version: "1.0.0" }))
 */
export function r2Source(
  bucket: R2BucketLike,
  ref: { benchmark: string; version: string; files?: Manifest["files"] },
): BundleSource {
  const name = `R2 ${ref.benchmark}@${ref.version}`;
  const get = async (key: string, file = key, range?: ByteRange, fileBytes?: number) => {
    try {
      const object = await bucket.get(
        key,
        range && { range: { offset: range.begin, length: range.end - range.begin } },
      );
      if (object) checkLength(name, file, object.size, fileBytes, range);
      return object && (await readObject(object, fileBound(name, file, fileBytes), range));
    } catch (cause) {
      if (cause instanceof AnchorEvalError) throw cause;
      throw new AnchorEvalError("unavailable", `${name}: the bucket could not be read`, { cause });
    }
  };
  let { files } = ref;
  const readManifest = async (range?: ByteRange): Promise<Uint8Array | null> => {
    const bytes = await get(manifestKey(ref.benchmark, ref.version), "manifest.json", range);
    if (bytes !== null && range === undefined) files = parseManifest(bytes).files;
    return bytes;
  };
  return {
    name,
    expected: { benchmark: ref.benchmark, version: ref.version },
    readSignatures: async () => {
      const bytes = await get(manifestKey(ref.benchmark, ref.version));
      return bytes && get(signatureKey(ref.benchmark, await sha256(bytes)));
    },
    readTrust: () => get(trustKey(ref.benchmark)),
    readCard: () => get(cardKey(ref.benchmark, ref.version)),
    readYank: async () => {
      const bytes = await get(yankedKey(ref.benchmark, ref.version)).catch(() => null);
      return bytes && parseYank(bytes);
    },
    read: async (file, { range } = {}) => {
      if (file === "manifest.json") return readManifest(range);
      if (files === undefined) await readManifest();
      const described = files?.find((candidate) => candidate.name === file);
      if (!described) return null;
      return readContent((key) => get(key, file, range, described.bytes), ref.benchmark, described.sha256);
    },
  };
}

/**
 * Reads a content of a published version by its digest. While a sweep moves it, or where one broke off, it is its copy that is
 * there; and a sweep that puts it back may do so between the two looks.
 * @param get - reads an object of the store; null where none is there
 * @returns null where storage has lost it
 */
export async function readContent<T>(
  get: (key: string) => Promise<T | null>,
  benchmark: string,
  sha256: string,
): Promise<T | null> {
  const key = blobKey(benchmark, sha256);
  return (await get(key)) ?? (await get(sweptKey(benchmark, sha256))) ?? (await get(key));
}

/** A source by its address, or itself. @throws AnchorEvalError `invalid_option` for what is neither */
export function namedSource(source: string | URL | BundleSource): BundleSource {
  if (typeof source === "string" || source instanceof URL) return httpSource(source);
  if (typeof (source as Partial<BundleSource> | undefined)?.read === "function") return source;
  throw invalidOption("a bundle's URL or source is needed");
}
