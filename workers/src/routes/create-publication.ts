import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { AnchorEvalError } from "anchoreval";
import { parseManifest, sha256Hex, signatureKey } from "anchoreval/bundle";
import { commitVersion, isCommitted, putSignatures, r2Store } from "anchoreval/publish";
import { checkSignatures } from "../auth/check-signatures.ts";
import { checkBlobs, refreshBlobs } from "../bundles/blobs.ts";
import type { AppEnv } from "../env.ts";
import { limitBody } from "../http/request-body.ts";
import { HttpProblem } from "../problem.ts";
import { ManifestSchema } from "../schemas/manifest.ts";
import { VersionParams } from "../schemas/params.ts";
import { json, PUBLISH_PROBLEMS } from "../schemas/responses.ts";

const PublicationSchema = z
  .object({
    benchmark: z.string(),
    version: z.string(),
    digest: z.string(),
    status: z.enum(["published", "already"]),
    latest: z.string().nullable(),
  })
  .openapi("Publication");

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/publication",
  operationId: "createPublication",
  tags: ["publishing"],
  summary: "Publish a version whose files are uploaded: the body is its manifest.json, byte for byte",
  security: [{ bearer: [] }],
  middleware: limitBody,
  request: {
    params: VersionParams,
    headers: z.object({
      "anchoreval-signature": z.string().optional().openapi({
        description: "Signatures of the body by Ed25519, `key.signature` in base64url, comma-separated.",
      }),
    }),
    body: { required: true, content: { "application/json": { schema: ManifestSchema } } },
  },
  responses: {
    200: json(PublicationSchema, "This very bundle was published already"),
    201: json(PublicationSchema, "It is published"),
    ...PUBLISH_PROBLEMS,
  },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { benchmark, version } = c.req.valid("param");
  c.var.caller.require("publish", benchmark);
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  const manifest = readManifest(bytes);
  if (manifest.benchmark !== benchmark || manifest.version !== version)
    throw new HttpProblem(
      "invalid_request",
      `the manifest is of ${manifest.benchmark}@${manifest.version}, the address of ${benchmark}@${version}`,
    );
  const signatures = await checkSignatures(c.req.header("anchoreval-signature"), bytes, c.env.TRUSTED_KEYS);
  const store = r2Store(c.var.bucket);
  const commit = { benchmark, version, manifest: bytes };
  await checkBlobs(c.var.bucket, manifest, c.var.deadline);
  if (!(await isCommitted(store, commit))) await refreshBlobs(c.var.bucket, manifest, c.var.deadline);
  if (signatures) await putSignatures(store, signatureKey(benchmark, sha256Hex(bytes)), signatures);
  const result = await commitVersion(store, commit);
  await checkBlobs(c.var.bucket, manifest, c.var.deadline); // a sweep may have removed one: who publishes sends it again
  c.var.bundles.forgetIndex(benchmark);
  return c.json(result, result.status === "published" ? 201 : 200);
};

/** Here a manifest that breaks the format is the caller's to mend, not a published one's fault. */
function readManifest(bytes: Uint8Array): ReturnType<typeof parseManifest> {
  try {
    return parseManifest(bytes);
  } catch (error) {
    if (!(error instanceof AnchorEvalError)) throw error;
    throw new HttpProblem("invalid_request", error.message, { issues: error.issues });
  }
}

export const createPublication = { route, handler };
