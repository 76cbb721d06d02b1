import { z } from "@hono/zod-openapi";
import { AnchorEvalError } from "anchoreval";
import { toBase64Url } from "anchoreval/internal/bundles/bytes";
import { logKey } from "anchoreval/internal/core/bundle/names";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { type IndexSigning, signIndex } from "anchoreval/internal/features/trust/sdk/sign-index";
import type { TrustFile } from "anchoreval/internal/features/trust/sdk/statements";
import { BenchmarkParams, NDJSON, OTHERWISE } from "../../../workers/src/schemas/contract.ts";
import { rootSettings, type TrustedRoot, trustedRoot } from "./root.ts";
import { answerSchema, described, json, optional } from "../../../workers/src/schemas/fields.ts";
import { misconfigured } from "../../../workers/src/platform/read-setting.ts";
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

/** An index is renewed on the first request after half a day, overdue after one, and refused after a week. */
const DAY = 86_400_000;

/**
 * How the Worker signs indexes.
 * @param key - PKCS #8
 * @throws HttpProblem `misconfigured` where the root doesn't list the key for indexes
 */
async function indexSigning(
  { chain, root }: TrustedRoot,
  key: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<IndexSigning> {
  const imported = await crypto.subtle.importKey("pkcs8", key, { name: "Ed25519" }, true, ["sign"]);
  const { x = "" } = (await crypto.subtle.exportKey("jwk", imported)) as JsonWebKey;
  if (!root.index.includes(x)) throw misconfigured(`INDEX_KEY: root ${root.version} doesn't list ${x} for indexes`);
  const sign = async (bytes: Uint8Array): Promise<string> =>
    toBase64Url(new Uint8Array(await crypto.subtle.sign("Ed25519", imported, bytes)));
  return { chain, key: x, sign, now, renewAfter: DAY / 2, due: DAY, life: 7 * DAY };
}

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
