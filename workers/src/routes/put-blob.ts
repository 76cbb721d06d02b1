import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { SHA256 } from "anchoreval/bundle";
import { storeBlob } from "../bundles/blobs.ts";
import type { AppEnv } from "../env.ts";
import { announcedLength } from "../http/announced-length.ts";
import { BenchmarkParams } from "../schemas/params.ts";
import { json, PUBLISH_PROBLEMS } from "../schemas/responses.ts";

/** Longest file of a bundle: what a request to Cloudflare's smallest plans may carry. @unit bytes */
const DEFAULT_MAX_BYTES = 100_000_000;

const BlobSchema = z
  .object({ sha256: z.string(), bytes: z.number().int(), status: z.enum(["stored", "already"]) })
  .openapi("Blob");

const route = createRoute({
  method: "put",
  path: "/v1/bundles/{benchmark}/blobs/{sha256}",
  operationId: "putBlob",
  tags: ["publishing"],
  summary: "Upload a file of a bundle, under its SHA-256; repeating it changes nothing",
  security: [{ bearer: [] }],
  request: {
    params: BenchmarkParams.extend({ sha256: z.string().regex(SHA256, "a SHA-256 in lowercase hex") }),
    body: {
      required: true,
      content: { "application/octet-stream": { schema: z.any().openapi({ format: "binary" }) } },
    },
  },
  responses: {
    200: json(BlobSchema, "It was there already"),
    201: json(BlobSchema, "It is stored"),
    ...PUBLISH_PROBLEMS,
  },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { benchmark, sha256 } = c.req.valid("param");
  c.var.caller.require("publish", benchmark);
  const bytes = announcedLength(c.req.raw, c.env.MAX_BLOB_BYTES ?? DEFAULT_MAX_BYTES);
  const body = c.req.raw.body ?? new Blob([]).stream();
  const status = await storeBlob(c.var.bucket, { benchmark, sha256, bytes, body }, c.var.deadline);
  return c.json({ sha256, bytes, status }, status === "stored" ? 201 : 200);
};

export const putBlob = { route, handler };
