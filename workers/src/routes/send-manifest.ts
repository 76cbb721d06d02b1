import type { Context } from "hono";
import type { PublishedBundle } from "../bundles/bundle-caches.ts";
import { sendContent } from "../http/send-content.ts";

/** manifest.json as it was published. */
export function sendManifest(c: Context, { bytes, digest }: PublishedBundle): Promise<Response> {
  return sendContent(c, {
    type: "application/json",
    etag: digest,
    bytes: bytes.length,
    open: (range) => (range ? bytes.slice(range.begin, range.end) : bytes.slice()),
  });
}
