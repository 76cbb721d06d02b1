import { sha256 as digest } from "anchoreval/internal/bundles/bytes";
import { atMost, readBody } from "anchoreval/internal/bundles/body";
import { MOST_MANIFEST_BYTES } from "anchoreval/internal/core/bundle/digest";
import { logLine, traceOf } from "../platform/observe.ts";
import { inTime } from "../platform/deadline.ts";

export interface ContentCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
  delete(url: string): Promise<boolean>;
}

export interface SharedContents {
  readonly cache: ContentCache;
  /** The Worker's own origin, since Cloudflare would resolve other hosts. No route uses the URLs below. */
  readonly origin: string;
}

/** Largest file that is cached, and held in memory to be verified before its first byte is sent. @unit bytes */
export const LARGEST_HELD = 8 << 20;

/** Longest wait for the cache before storage is read. @unit milliseconds */
const LIMIT = 500;

/**
 * Reads content by its digest from the cache that the isolates of a colo share, or else from storage. Cached bytes are
 * hashed, and discarded if they have another digest. Only bytes with the right digest are stored. A cache that fails or is
 * slow counts as a miss.
 * @param sha256 - lowercase hex
 * @param load - reads from storage; its result is not verified for the caller
 * @param keepAlive - receives the write to the cache
 */
export async function throughCache<Loaded extends Uint8Array | null>(
  { cache, origin }: SharedContents,
  sha256: string,
  load: () => Promise<Loaded>,
  keepAlive: (work: Promise<unknown>) => void,
): Promise<Uint8Array | Loaded> {
  const url = `${origin}/contents/${sha256}`;
  const attempt = <T>(work: () => Promise<T>): Promise<T | undefined> =>
    inTime(Promise.resolve().then(work), LIMIT, "the cache").catch((error: unknown) => {
      logLine("error", "cache_failed", { error: traceOf(error) });
      return undefined;
    });
  const hit = await attempt(async () => {
    const response = await cache.match(url);
    return response && (await readBody(response, atMost(MOST_MANIFEST_BYTES, url))).bytes;
  });
  if (hit) {
    if ((await digest(hit)) === sha256) return hit;
    logLine("error", "cache_damaged", { sha256, bytes: hit.length });
    keepAlive(attempt(() => cache.delete(url)));
  }
  const bytes = await load();
  if (bytes !== null && (await digest(bytes)) === sha256) {
    const headers = { "cache-control": "public, max-age=31536000, immutable" };
    keepAlive(attempt(() => cache.put(url, new Response(bytes, { headers }))));
  }
  return bytes;
}
