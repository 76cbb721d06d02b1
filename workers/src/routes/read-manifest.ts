import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import type { AppEnv } from "../env.ts";
import { ManifestSchema } from "../schemas/manifest.ts";
import { VersionParams } from "../schemas/params.ts";
import { headers, json, MOVED, NOT_MODIFIED, READ_PROBLEMS } from "../schemas/responses.ts";
import { sendManifest } from "./send-manifest.ts";

const route = createRoute({
  method: "get",
  path: "/v1/bundles/{benchmark}/{version}",
  operationId: "readManifest",
  tags: ["bundles"],
  summary: "The manifest of a version, byte for byte as published; its ETag is the bundle's digest",
  request: { params: VersionParams },
  responses: {
    200: { ...json(ManifestSchema, "manifest.json"), headers: headers({ ETag: "The bundle's digest, sha256:…" }) },
    ...MOVED,
    ...NOT_MODIFIED,
    ...READ_PROBLEMS,
  },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) =>
  sendManifest(c, await c.var.bundles.published(c.req.valid("param")));

export const readManifest = { route, handler };
