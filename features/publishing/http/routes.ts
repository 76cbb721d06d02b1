import { z } from "@hono/zod-openapi";
import { AnchorEvalError, loadBundle, type BundleSource, type Manifest } from "anchoreval";
import { parseManifest, type BundleFileName } from "anchoreval/bundle";
import type { MiddlewareHandler } from "hono";
import { isSignedBy } from "anchoreval/internal/bundles/trusted-source";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { BENCHMARK_NAME, blobKey, cardKey, SHA256, signatureKey } from "anchoreval/internal/core/bundle/names";
import { encodeSignatures, parseSignatures } from "anchoreval/internal/core/bundle/signature";
import { changeObject } from "anchoreval/internal/bundles/bundle-store";
import { checkEstimates, putSignatures } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { commitVersion, isCommitted, yankVersion } from "anchoreval/internal/features/publishing/sdk/versions";
import type { BundleBucket } from "../../../workers/src/platform/env.ts";
import { LARGEST_BUNDLE, memoryOf } from "../../../workers/src/bundles/bundle-reader.ts";
import { checkBlobs, refreshBlobs, storeBlob } from "./upload.ts";
import { announcedLength, readBody } from "../../../workers/src/http/request-body.ts";
import { HttpProblem } from "../../../workers/src/platform/problem.ts";
import { BenchmarkParams, OTHERWISE, VersionParams } from "../../../workers/src/schemas/contract.ts";
import { answerSchema, described, json } from "../../../workers/src/schemas/fields.ts";
import { ManifestSchema } from "../../../workers/src/schemas/manifest.ts";
import { BenchmarkSchema, summarizeIndex } from "../../../workers/src/routes/bundles.ts";
import { type AppEnv, jsonBody, operation, route } from "../../../workers/src/routes/route.ts";

/** Requires the scope before anything of the body is read. */
const requirePublisher: MiddlewareHandler<AppEnv, "/v1/bundles/:benchmark/*"> = async (c, next) => {
  const benchmark = c.req.param("benchmark");
  if (BENCHMARK_NAME.test(benchmark)) c.var.caller.require("publish", benchmark);
  await next(); // where the path is checked
};

const BlobSchema = answerSchema("Blob", {
  sha256: z.string(),
  bytes: z.number().int(),
  status: z.enum(["stored", "already"]),
});

export const putBlob = route(
  {
    method: "put",
    path: "/v1/bundles/{benchmark}/blobs/{sha256}",
    ...operation("publishing", "putBlob", "Upload a file of a bundle under its SHA-256; repeating it changes nothing"),
    security: [{ bearer: [] }],
    middleware: requirePublisher,
    request: {
      params: BenchmarkParams.extend({ sha256: z.string().regex(SHA256, "a SHA-256 in lowercase hex") }),
      body: {
        required: true,
        content: { "application/octet-stream": { schema: z.any().openapi({ format: "binary" }) } },
      },
    },
    responses: {
      200: json(BlobSchema, "It was stored already"),
      201: json(BlobSchema, "It is stored"),
      ...OTHERWISE.publishing,
    },
  },
  async (c) => {
    const { benchmark, sha256 } = c.req.valid("param");
    const bytes = announcedLength(c.req.raw, c.var.settings.blobBytes);
    const body = c.req.raw.body ?? new Blob([]).stream();
    const status = await storeBlob(c.var, { benchmark, sha256, bytes, body });
    return c.json({ sha256, bytes, status }, status === "stored" ? 201 : 200);
  },
);

const PublicationSchema = answerSchema("Publication", {
  benchmark: z.string(),
  version: z.string(),
  digest: z.string(),
  status: z.enum(["published", "already"]),
  latest: z.string().nullable(),
});

export const createPublication = route(
  {
    method: "post",
    path: "/v1/bundles/{benchmark}/{version}/publication",
    ...operation(
      "publishing",
      "createPublication",
      "Publish a version whose files are uploaded; the body is its manifest.json, byte for byte",
    ),
    security: [{ bearer: [] }],
    middleware: [requirePublisher, readBody] as const,
    request: {
      params: VersionParams,
      headers: z.object({
        "anchoreval-signature": described(
          z.string().optional(),
          "Ed25519 signatures of the body: `key.signature` in base64url, comma-separated.",
        ),
      }),
      body: jsonBody(ManifestSchema),
    },
    responses: {
      200: json(PublicationSchema, "This bundle was published already"),
      201: json(PublicationSchema, "It is published"),
      ...OTHERWISE.publishing,
    },
  },
  async (c) => {
    const { benchmark, version } = c.req.valid("param");
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    const manifest = readManifest(bytes);
    if (manifest.benchmark !== benchmark || manifest.version !== version)
      throw new HttpProblem(
        "invalid_request",
        `the manifest is of ${manifest.benchmark}@${manifest.version}, the path of ${benchmark}@${version}`,
      );
    const signatures = await checkSignatures(c.req.header("anchoreval-signature"), bytes, c.var);
    const store = r2Store(c.var.bucket);
    // A sweep may remove one meanwhile: then the publisher is told to upload it again.
    const ensureContents = (): Promise<void> => checkBlobs(c.var, manifest);
    const commit = { benchmark, version, manifest: bytes, ensureContents };
    await ensureContents();
    if (!(await isCommitted(store, commit))) {
      await tryBundle(c.var.bucket, manifest, bytes);
      await refreshBlobs(c.var, manifest);
    }
    if (signatures) await putSignatures(store, signatureKey(benchmark, sha256Hex(bytes)), signatures);
    const result = await commitVersion(store, commit, { publisher: c.var.caller.token, now: c.var.now });
    c.var.bundles.forgetIndex(benchmark);
    return c.json(result, result.status === "published" ? 201 : 200);
  },
);

function readManifest(bytes: Uint8Array): Manifest {
  try {
    return parseManifest(bytes);
  } catch (error) {
    throw ofCaller(error);
  }
}

/** A bundle in a request that is malformed is the caller's mistake, and not a damaged one of ours. */
function ofCaller(error: unknown): unknown {
  return error instanceof AnchorEvalError && error.code !== "unavailable"
    ? new HttpProblem("invalid_request", error.message, { issues: error.issues })
    : error;
}

/**
 * Decodes a bundle that is about to be published, from its uploaded files, and estimates with each of its forms. One that
 * is too large for a Worker isn't: the Worker makes no estimates with it either, and only hands its files out.
 * @throws HttpProblem `invalid_request`; AnchorEvalError `unavailable`
 */
async function tryBundle(bucket: BundleBucket, manifest: Manifest, manifestBytes: Uint8Array): Promise<void> {
  if (memoryOf(manifest) > LARGEST_BUNDLE) return;
  const { benchmark, files } = manifest;
  const uploaded = async (name: BundleFileName): Promise<Uint8Array | null> => {
    const { sha256 } = files.find((file) => file.name === name)!;
    return (await r2Store(bucket).get(blobKey(benchmark, sha256)))?.bytes ?? null;
  };
  const read: BundleSource["read"] = async (name) => (name === "manifest.json" ? manifestBytes : uploaded(name)); // whole
  try {
    checkEstimates(await loadBundle({ name: "the uploaded bundle", read }));
  } catch (error) {
    throw ofCaller(error);
  }
}

/**
 * Checks the signatures that come with a manifest: each must be valid, and one by a trusted key if keys are set.
 * @param header - `key.signature`, comma-separated
 * @returns manifest.sig; null if there are no signatures
 * @throws AnchorEvalError `bundle_untrusted`
 */
async function checkSignatures(
  header: string | undefined,
  manifest: Uint8Array,
  { settings, now }: Pick<AppEnv["Variables"], "settings" | "now">,
): Promise<Uint8Array | null> {
  const bytes = header === undefined ? null : readSignatureHeader(header);
  for (const signature of (bytes && parseSignatures(bytes)) ?? [])
    if (!(await isSignedBy(manifest, signature)))
      throw new AnchorEvalError("bundle_untrusted", `the signature by ${signature.key} does not match this manifest`);
  await settings.requireSigner(manifest, bytes, now());
  return bytes;
}

function readSignatureHeader(header: string): Uint8Array {
  const signatures = header.split(",").map((part) => {
    const [key = "", signature = ""] = part.trim().split(".");
    return { key, signature };
  });
  const bytes = encodeSignatures(signatures);
  if (parseSignatures(bytes) === null)
    throw new HttpProblem("invalid_request", "Anchoreval-Signature is key.signature in base64url, comma-separated");
  return bytes;
}

const LONGEST_CARD = 1 << 16;

export const putCard = route(
  {
    method: "put",
    path: "/v1/bundles/{benchmark}/{version}/card",
    ...operation("publishing", "putCard", "Write the card of a published version, in the place of one that is there"),
    security: [{ bearer: [] }],
    middleware: [requirePublisher, readBody] as const,
    request: {
      params: VersionParams,
      body: { required: true, content: { "text/markdown": { schema: z.any().openapi({ type: "string" }) } } },
    },
    responses: { 204: { description: "It is written" }, ...OTHERWISE.publishing },
  },
  async (c) => {
    const { benchmark, version } = c.req.valid("param");
    if (!/^text\/markdown\b/i.test(c.req.header("content-type") ?? ""))
      throw new HttpProblem("unsupported_media_type", "send a card as text/markdown");
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    if (bytes.length > LONGEST_CARD)
      throw new HttpProblem("payload_too_large", `a card has at most ${LONGEST_CARD} bytes`);
    if (bytes.length === 0 || !isUtf8(bytes)) throw new HttpProblem("invalid_request", "a card is text in UTF-8");
    await c.var.bundles.published({ benchmark, version });
    await changeObject(r2Store(c.var.bucket), cardKey(benchmark, version), () => bytes);
    return c.body(null, 204);
  },
);

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const YankRequestSchema = z
  .discriminatedUnion("yanked", [
    z.strictObject({
      yanked: z.literal(true),
      reason: z.string().min(1).max(500).openapi({ example: "wrong keys in 12 items: use 1.0.1" }),
    }),
    z.strictObject({ yanked: z.literal(false) }),
  ])
  .openapi("YankRequest");

export const putYank = route(
  {
    method: "put",
    path: "/v1/bundles/{benchmark}/{version}/yank",
    ...operation(
      "publishing",
      "yankVersion",
      "Yank a version or restore it; a yanked one still answers by its number, with a warning",
    ),
    security: [{ bearer: [] }],
    middleware: [requirePublisher, readBody] as const,
    request: { params: VersionParams, body: jsonBody(YankRequestSchema) },
    responses: { 200: json(BenchmarkSchema, "The benchmark with the versions it offers now"), ...OTHERWISE.publishing },
  },
  async (c) => {
    const ref = c.req.valid("param");
    const index = await yankVersion(
      r2Store(c.var.bucket),
      { ...ref, publisher: c.var.caller.token, now: c.var.now },
      c.req.valid("json"),
    );
    c.var.bundles.forgetIndex(ref.benchmark);
    return c.json(summarizeIndex(index), 200);
  },
);
