import { readBundleFile } from "../../../sdk/bundles/read-file.ts";
import { atMost } from "../../../sdk/bundles/body.ts";
import { POLICY_OPTIONS, requestBytes, type RequestPolicy } from "../../../sdk/bundles/request.ts";
import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import type { BundleFileName } from "../../../sdk/core/bundle/names.ts";
import { decodeJson } from "../../../sdk/core/bundle/schema.ts";
import type { Yank } from "../../../sdk/core/bundle/decode-manifest.ts";
import { AnchorEvalError, checkNames } from "../../../sdk/core/errors.ts";
import { encodeJson } from "../../../sdk/bundles/bundle-store.ts";
import { checkedBundle, readSignatures } from "./publish-bundle.ts";
import type { PublishResult } from "./versions.ts";

export interface PublishToWorkerOptions extends RequestPolicy {
  /** Where the Worker is, for example `https://evals.example.com`. */
  readonly baseUrl: string;
  /** A bearer token with the scope `publish:<benchmark>`. */
  readonly token: string;
  /** manifest.sig, where the bundle is signed. */
  readonly signatures?: Uint8Array | null;
  /** card.md; it takes the place of one that is there. @default that one stays */
  readonly card?: Uint8Array | null;
  /** Called before each file that is uploaded. */
  readonly onUpload?: (file: { readonly name: string; readonly bytes: number }) => void;
}

/** Uploads of what a Worker lacks: a second one of what a sweep removed beside the first. */
const ROUNDS = 2;

/** Limit for one upload or publication, a large file over a slow line. @unit milliseconds */
const TIMEOUT = 300_000;

/** Longest answer: names, digests and a status. @unit bytes */
const MOST_ANSWER_BYTES = 1 << 16;

/**
 * Publishes a bundle to a Worker: asks for its publication, uploads the files that the Worker says it lacks, and asks
 * again. Nothing is sent twice: what an attempt that was broken off had uploaded is there already, and publishing what is
 * published changes nothing.
 *
 * @param files - as `encodeBundle` or `anchoreval fit` wrote them
 * @throws AnchorEvalError `bundle_invalid`, `bundle_corrupt` (nothing was sent); `version_conflict`; the Worker's own code,
 * such as `unauthorized` or `forbidden`; `not_found` where no anchoreval Worker is; `unavailable`, `aborted`
 * @example await publishToWorker(files, { baseUrl: "https://evals.example.com", token: process.env.ANCHOREVAL_TOKEN })
 */
export async function publishToWorker(
  files: ReadonlyMap<BundleFileName, Uint8Array>,
  options: PublishToWorkerOptions,
): Promise<PublishResult> {
  const others = { baseUrl: true, token: true, onUpload: true, signatures: true, card: true } as const;
  checkNames(options, { ...POLICY_OPTIONS, ...others });
  const { baseUrl, token, onUpload, signatures, card, ...policy } = options;
  const bundle = await checkedBundle(files);
  const { manifest } = bundle;
  const base = urlOf(baseUrl, manifest.benchmark);
  const version = `${base}/${encodeURIComponent(manifest.version)}`;
  const signed = signatures ? signatureHeader(signatures) : {};
  const send = sender(token, policy);
  const publish = async (): Promise<PublishResult> => {
    const bytes = await send(`${version}/publication`, "POST", "application/json", bundle.manifestBytes, signed);
    const result = JSON.parse(new TextDecoder().decode(bytes)) as PublishResult;
    if (card) await send(`${version}/card`, "PUT", "text/markdown", card);
    return result;
  };

  for (let round = 0; ; round++) {
    let lacking: Manifest["files"] | null;
    try {
      return await publish();
    } catch (error) {
      lacking = round < ROUNDS ? lackingFiles(error, manifest) : null;
      if (lacking === null) throw error;
    }
    for (const file of lacking) {
      onUpload?.(file);
      const bytes = await readBundleFile(bundle.source, manifest, file.name as BundleFileName);
      await send(`${base}/blobs/${file.sha256}`, "PUT", "application/octet-stream", bytes);
    }
  }
}

/**
 * Yanks a version on a Worker, or takes that back.
 * @returns the benchmark's latest version now
 * @throws AnchorEvalError as {@link publishToWorker}; `not_found` where the version isn't published there
 * @example await yankOnWorker({ benchmark: "quiz", version: "1.0.0" }, { yanked: true, reason: "wrong keys" }, { baseUrl, token })
 */
export async function yankOnWorker(
  { benchmark, version }: { readonly benchmark: string; readonly version: string },
  yank: Yank,
  { baseUrl, token, ...policy }: Pick<PublishToWorkerOptions, "baseUrl" | "token"> & RequestPolicy,
): Promise<{ readonly latest: string | null }> {
  const url = `${urlOf(baseUrl, benchmark)}/${encodeURIComponent(version)}/yank`;
  const bytes = await sender(token, policy)(url, "PUT", "application/json", encodeJson(yank));
  return decodeJson(bytes) as { readonly latest: string | null };
}

function urlOf(baseUrl: string, benchmark: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/v1/bundles/${encodeURIComponent(benchmark)}`;
}

function sender(token: string, policy: RequestPolicy) {
  return async (
    url: string,
    method: string,
    type: string,
    body: Uint8Array,
    more: Record<string, string> = {},
  ): Promise<Uint8Array> => {
    const answer = await requestBytes(
      url,
      { method, headers: { "content-type": type, ...more }, body: body as Uint8Array<ArrayBuffer> },
      { timeout: TIMEOUT, ...policy, headers: { ...policy.headers, authorization: `Bearer ${token}` } },
      atMost(MOST_ANSWER_BYTES, `${url}: the answer`),
    );
    if (answer === null)
      throw new AnchorEvalError("not_found", `${url}: there is no anchoreval Worker, or no such version`);
    return answer.bytes;
  };
}

/** `key.signature`, comma-separated: it goes with the manifest, whose bytes stay as they are. */
function signatureHeader(bytes: Uint8Array): Record<string, string> {
  return {
    "anchoreval-signature": readSignatures(bytes)
      .map(({ key, signature }) => `${key}.${signature}`)
      .join(", "),
  };
}

/** The files that a refusal of a publication names; null where it is another error. */
function lackingFiles(error: unknown, { files }: Manifest): Manifest["files"] | null {
  if (!(error instanceof AnchorEvalError) || (error.code as string) !== "content_mismatch") return null;
  const named = error.issues.map(({ path }) => files[path[1] as number]);
  return named.length > 0 && named.every((file) => file !== undefined) ? named : null;
}
