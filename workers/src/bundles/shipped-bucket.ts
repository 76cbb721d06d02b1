import type { IndexEntry } from "anchoreval/internal/bundles/bundle-index";
import { AnchorEvalError } from "anchoreval";
import { fileBound } from "anchoreval/internal/bundles/read-file";
import { atMost, readBody } from "anchoreval/internal/bundles/body";
import { withDeadline } from "../platform/deadline.ts";
import type { BundleBucket, ShippedFiles, StoredObject } from "../platform/env.ts";
import type { ValueCache } from "./value-cache.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/** shipped/objects.json: the bundles that come along, as they would lie in the bucket. The objects themselves lie beside. */
export interface ShippedObjects {
  readonly objects: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
  readonly versions: Readonly<Record<string, readonly IndexEntry[]>>;
}

interface StorageBindings {
  readonly BUNDLES: BundleBucket;
  readonly SHIPPED?: ShippedFiles;
  readonly TRUSTED_KEYS?: string;
}

export type ShippedVersions = (benchmark: string) => Promise<readonly IndexEntry[]>;

/**
 * The bucket of a Worker with a deadline for every wait, and with the bundles that come along where the deployment has them.
 * Who demands signatures gets none of those: nobody has signed them.
 * @param table - an isolate's copy of objects.json
 */
export function bundleStorage(
  { BUNDLES, SHIPPED, TRUSTED_KEYS }: StorageBindings,
  table: ValueCache<ShippedObjects>,
  deadline: number,
  keepAlive: (work: Promise<unknown>) => void,
): { readonly bucket: BundleBucket; readonly shipped: ShippedVersions | null } {
  if (SHIPPED === undefined || TRUSTED_KEYS) return { bucket: withDeadline(BUNDLES, deadline), shipped: null };
  const { bucket, versions } = shippedBucket(BUNDLES, SHIPPED, table, keepAlive);
  return { bucket: withDeadline(bucket, deadline), shipped: versions };
}

/** Room for the files of a thousand versions. @unit bytes */
const MOST_TABLE_BYTES = 1 << 20;

/** The host is any: only the path counts. */
const ROOT = "http://shipped/shipped/";

/**
 * A bucket that also has the bundles that come along, which are static files of the deployment. What lies in the bucket
 * itself comes first. Everything is written there; what comes along counts as there already, and is replaced by one of its tag.
 * @throws from its methods: errors of the bucket and of the static files
 */
function shippedBucket(
  bucket: BundleBucket,
  files: ShippedFiles,
  table: ValueCache<ShippedObjects>,
  keepAlive: (work: Promise<unknown>) => void,
): { readonly bucket: BundleBucket; readonly versions: ShippedVersions } {
  const load = async (path: string) => {
    const response = await files.fetch(ROOT + path).catch((cause: unknown) => cause);
    if (response instanceof Response && response.ok) return response;
    const cause = response instanceof Response ? new Error(`status ${response.status}`) : response;
    throw new AnchorEvalError("unavailable", `static file shipped/${path} could not be read`, { cause });
  };
  const readTable = async (): Promise<ShippedObjects> => {
    const { bytes } = await readBody(await load("objects.json"), atMost(MOST_TABLE_BYTES, "shipped/objects.json"));
    return JSON.parse(new TextDecoder().decode(bytes)) as ShippedObjects;
  };
  const all = (): Promise<ShippedObjects> => table.get("", { load: readTable, keepAlive });
  const find = async (key: string) => (key.startsWith("bundles/") ? lookUp((await all()).objects, key) : undefined);

  const get: BundleBucket["get"] = async (key, options) => {
    const object = await bucket.get(key, options);
    const shipped = object === null ? await find(key) : undefined;
    if (shipped === undefined) return object;
    const response = await load(key);
    const { range } = options ?? {};
    const { sha256: etag, bytes: size } = shipped;
    const keep = range && { begin: range.offset, end: range.offset + range.length };
    const bound = fileBound("shipped", key, size, keep);
    if (!range)
      return {
        etag,
        size,
        body: response.body!,
        arrayBuffer: async () => (await readBody(response, bound)).bytes.buffer,
      };
    const { bytes, length } = await readBody(response, bound);
    return { etag, size: length, body: new Response(bytes).body!, arrayBuffer: () => Promise.resolve(bytes.buffer) };
  };
  const head = async (key: string): Promise<StoredObject | null> => {
    const object = await bucket.head(key);
    const shipped = object === null ? await find(key) : undefined;
    if (shipped === undefined) return object;
    // As old as can be: what a new version has in common with it is copied into the bucket.
    return { size: shipped.bytes, uploaded: new Date(0), checksums: { sha256: bytesOf(shipped.sha256) } };
  };
  const put = async (key: string, value: Uint8Array | ReadableStream, options: PutOptions): Promise<object | null> => {
    const { etagDoesNotMatch, etagMatches } = options.onlyIf ?? {};
    const shipped = options.onlyIf && (await find(key));
    if (shipped && etagDoesNotMatch === "*") return null; // it is there already
    const isNew = shipped !== undefined && etagMatches === shipped.sha256;
    const condition = isNew ? { ...options, onlyIf: { etagDoesNotMatch: "*" } } : options;
    return bucket.put(key, value as Uint8Array, condition as never);
  };
  const list = async (options: { prefix: string; delimiter: string; cursor?: string }) => {
    const page = await bucket.list(options);
    if (!options.prefix.startsWith("bundles/") || options.cursor !== undefined) return page;
    const { prefix } = options;
    const below = Object.keys((await all()).objects).filter((key) => key.startsWith(prefix));
    const folders = below.flatMap((key) => /^[^/]*\//.exec(key.slice(prefix.length)) ?? []);
    return {
      ...page,
      objects: [...page.objects, ...below.filter((key) => !key.slice(prefix.length).includes("/")).map((key) => ({ key }))], // prettier-ignore
      delimitedPrefixes: [...new Set([...page.delimitedPrefixes, ...folders.map((name) => prefix + name)])],
    };
  };
  return {
    bucket: { get, head, put, list: list as BundleBucket["list"] },
    versions: async (benchmark) => lookUp((await all()).versions, benchmark) ?? [],
  };
}

interface PutOptions {
  readonly onlyIf?: { readonly etagMatches?: string; readonly etagDoesNotMatch?: string };
  readonly sha256?: string;
}

function bytesOf(hex: string): ArrayBuffer {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)).buffer;
}
