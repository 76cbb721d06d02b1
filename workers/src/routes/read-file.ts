import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { SIGNATURE_FILE, type BundleFileName } from "anchoreval/bundle";
import { INDEX_MAX_AGE } from "../bundles/bundle-caches.ts";
import type { AppEnv } from "../env.ts";
import { sendContent } from "../http/send-content.ts";
import { FileParams } from "../schemas/params.ts";
import { headers, MOVED, NOT_MODIFIED, OUTSIDE, READ_PROBLEMS } from "../schemas/responses.ts";
import { sendManifest } from "./send-manifest.ts";

const TYPES: Readonly<Record<BundleFileName, string>> = {
  "manifest.json": "application/json",
  "parameters.safetensors": "application/octet-stream",
  "anchors.jsonl": "application/x-ndjson",
  "items.jsonl": "application/x-ndjson",
  "cold-items.jsonl": "application/x-ndjson",
  "routing.safetensors": "application/octet-stream",
  "report.html": "text/html; charset=utf-8",
};

/** The report brings its own scripts and styles; it gets no origin, no network and no forms. */
const REPORT_POLICY =
  "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'";

const FileBytes = z.string().openapi({ format: "binary" });
const content = {
  ...Object.fromEntries(Object.values(TYPES).map((type) => [type.split(";")[0]!, { schema: FileBytes }])),
  "application/json": { schema: z.unknown() },
};
const etag = { headers: headers({ ETag: "Digest of the whole file" }) };

const route = createRoute({
  method: "get",
  path: "/v1/bundles/{benchmark}/{version}/files/{name}",
  operationId: "readFile",
  tags: ["bundles"],
  summary: "A file of the bundle, whole or by byte range",
  request: {
    params: FileParams,
    headers: z.object({
      range: z.string().optional().openapi({ example: "bytes=0-1023" }),
      "if-none-match": z.string().optional(),
    }),
  },
  responses: {
    200: { description: "The file", content, ...etag },
    206: { description: "The range", content, ...etag },
    ...OUTSIDE,
    ...MOVED,
    ...NOT_MODIFIED,
    ...READ_PROBLEMS,
  },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { name, ...ref } = c.req.valid("param");
  if (name === "manifest.json") return sendManifest(c, await c.var.bundles.published(ref));
  if (name === SIGNATURE_FILE) {
    // Another key's may be added: it is no content that never changes.
    const headers = { "content-type": "application/json", "cache-control": `public, max-age=${INDEX_MAX_AGE}` };
    return new Response(await c.var.bundles.signatures(ref), { headers });
  }
  const { bytes, sha256, open } = await c.var.bundles.file(ref, name);
  return sendContent(c, {
    type: TYPES[name],
    etag: `sha256:${sha256}`,
    bytes,
    ...(name === "report.html" && { headers: { "content-security-policy": REPORT_POLICY } }),
    open,
  });
};

export const readFile = { route, handler };
