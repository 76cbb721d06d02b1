import { z } from "@hono/zod-openapi";
import { AnchorEvalError } from "anchoreval";
import { logKey } from "anchoreval/internal/core/bundle/names";
import { r2Store } from "anchoreval/internal/publish/r2-store";
import { signIndex } from "anchoreval/internal/features/trust/sdk/sign-index";
import type { TrustFile } from "anchoreval/internal/features/trust/sdk/statements";
import { BenchmarkParams, NDJSON, OTHERWISE } from "../../../workers/src/schemas/contract.ts";
import { indexSigning, rootSettings, trustedRoot } from "./root.ts";
import { answerSchema, described, json, optional } from "../../../workers/src/schemas/fields.ts";
import { operation, route } from "../../../workers/src/routes/route.ts";

const SignedSchema = answerSchema("SignedStatement", {
  signed: described(z.string(), "JSON, letter for letter as it was signed."),
  signatures: z.array(z.object({ key: z.string(), signature: z.string() })).readonly(),
});

const TrustSchema = answerSchema("Trust", {
  roots: described(z.array(SignedSchema).readonly(), "The root's versions, each signed by keys of the one before."),
  index: optional(SignedSchema, "The versions with their digests, and until when that is the newest word."),
});

export const readTrust = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}/trust.json",
    ...operation("bundles", "readTrust", "Read who may sign, and the signed index of a benchmark"),
    request: { params: BenchmarkParams },
    responses: {
      200: json(TrustSchema, "The root and the signed index"),
      ...OTHERWISE.read,
    },
  },
  async (c) => {
    const { benchmark } = c.req.valid("param");
    const { bucket, now } = c.var;
    const settings = rootSettings(c.env);
    if (settings === null)
      throw new AnchorEvalError("not_found", `${benchmark} has no trust.json: this Worker has no root of trust`);
    const trusted = await trustedRoot(settings.roots, now());
    // Signed when it is asked for: a publication whose Worker died before it could sign leaves nothing behind.
    const trust: TrustFile = settings.indexKey
      ? await signIndex(r2Store(bucket), benchmark, await indexSigning(trusted, settings.indexKey, now()))
      : { roots: trusted.chain.map((link) => link.source) };
    c.header("cache-control", "no-store");
    return c.json(trust, 200);
  },
);

export const readPublicationLog = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}/log.jsonl",
    ...operation("bundles", "readLog", "Read who published and yanked what, and when, line by line"),
    request: { params: BenchmarkParams },
    responses: {
      200: {
        description: "A line of JSON for each publication or yank, with the digest of the line before it",
        content: { [NDJSON]: { schema: z.string() } },
      },
      ...OTHERWISE.read,
    },
  },
  async (c) => {
    const { benchmark } = c.req.valid("param");
    const log = await r2Store(c.var.bucket).get(logKey(benchmark));
    if (log === null) throw new AnchorEvalError("not_found", `${benchmark} has no log of publications here`);
    // An index must not be newer than the log that it names.
    return new Response(log.bytes, {
      headers: { "content-type": NDJSON, "cache-control": "no-store" },
    }) as never; // the contract's types know JSON and plain text alone
  },
);
