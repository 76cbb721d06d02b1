import { AnchorEvalError, type Issue, type Manifest } from "anchoreval";
import { hexOf } from "anchoreval/internal/core/bundle/digest";
import { blobKey } from "anchoreval/internal/core/bundle/names";
import { onBucket } from "anchoreval/internal/bundles/r2-store";
import { SWEEP_AGE } from "anchoreval/internal/features/publishing/sdk/sweep-blobs";
import { inTime } from "../../../workers/src/platform/deadline.ts";
import { HttpProblem } from "../../../workers/src/platform/problem.ts";
import type { BundleBucket, StoredObject } from "../../../workers/src/platform/env.ts";
import { readPieces } from "../../../workers/src/bundles/open-file.ts";

/** R2's error for content with another SHA-256 than announced. */
const OTHER_CHECKSUM = /checksum|10037/i;

/** The bucket, and the longest wait for it once a body is sent, or for a piece of an object. @unit milliseconds */
export interface Storage {
  readonly bucket: BundleBucket;
  readonly deadline: number;
}

interface BlobUpload extends Pick<StreamedBody, "bytes" | "body"> {
  readonly benchmark: string;
  /** Lowercase hex. */
  readonly sha256: string;
}

/**
 * Stores a file's content under its digest, as a stream that R2 verifies; memory doesn't grow with it.
 * @returns `already` if this content is stored; one of another length, or that was never verified, is overwritten
 * @throws HttpProblem `content_mismatch`: nothing was written; AnchorEvalError `unavailable`
 */
export async function storeBlob(
  storage: Storage,
  { benchmark, sha256, bytes, body }: BlobUpload,
): Promise<"stored" | "already"> {
  const key = blobKey(benchmark, sha256);
  const there = await headOf(storage, key);
  if (there && there.size === bytes && checksumOf(there) === sha256) {
    await body.cancel();
    return "already";
  }
  try {
    await putStream(storage, key, { bytes, body }, { sha256 });
  } catch (cause) {
    if (cause instanceof HttpProblem) throw cause;
    if (OTHER_CHECKSUM.test(String(cause)))
      throw new HttpProblem("content_mismatch", `the body's SHA-256 is not ${sha256}: nothing was stored`);
    throw new AnchorEvalError("unavailable", `the R2 bucket could not write ${key}`, { cause });
  }
  return "stored";
}

/**
 * Refuses a manifest unless all of its files are stored as it describes them.
 * @throws HttpProblem `content_mismatch` with an issue for each file that is `missing`, or has another length or digest
 */
export async function checkBlobs(storage: Storage, { benchmark, files }: Manifest): Promise<void> {
  const checks = await Promise.all(
    files.map(async ({ name, bytes, sha256 }, k): Promise<Issue | null> => {
      const key = blobKey(benchmark, sha256);
      const there = await headOf(storage, key);
      const issue = (code: string, message: string): Issue => ({ path: ["files", k], code, message });
      if (there === null) return issue("missing", `${name} was not uploaded: PUT …/blobs/${sha256} first`);
      if (there.size !== bytes)
        return issue("wrong_size", `${name} has ${there.size} bytes, the manifest says ${bytes}`);
      const stored = checksumOf(there) ?? (await digestOf(storage, key));
      return stored === sha256 ? null : issue("wrong_digest", `${name} has the SHA-256 ${stored}`);
    }),
  );
  const issues = checks.filter((issue) => issue !== null);
  if (issues.length > 0) throw new HttpProblem("content_mismatch", issues[0]!.message, { issues });
}

/**
 * Rewrites those of a manifest's files that were stored long ago, before its commit refers to them: a concurrent sweep
 * would take old ones for leftovers.
 * @throws AnchorEvalError `unavailable`
 */
export async function refreshBlobs(storage: Storage, { benchmark, files }: Manifest): Promise<void> {
  for (const { bytes, sha256 } of files) {
    const key = blobKey(benchmark, sha256);
    const there = await headOf(storage, key);
    if (there === null || Date.now() - there.uploaded.getTime() < SWEEP_AGE / 2) continue;
    await onBucket(`write ${key}`, async () => {
      const object = await storage.bucket.get(key);
      if (object !== null) await putStream(storage, key, { bytes, body: object.body }, { sha256 });
    });
  }
}

function headOf({ bucket }: Storage, key: string): Promise<StoredObject | null> {
  return onBucket(`look up ${key}`, () => bucket.head(key));
}

function checksumOf({ checksums }: StoredObject): string | null {
  return checksums.sha256 ? hexOf(new Uint8Array(checksums.sha256)) : null;
}

/** For objects that were written without a checksum, for example by an S3 client. */
function digestOf({ bucket, deadline }: Storage, key: string): Promise<string> {
  return onBucket(`read ${key}`, async () => {
    const object = await bucket.get(key);
    const stream = new crypto.DigestStream("SHA-256");
    const writer = stream.getWriter();
    for await (const piece of readPieces(object!.body, deadline, key)) await writer.write(piece);
    await writer.close();
    return hexOf(new Uint8Array(await stream.digest));
  });
}

/** A body of announced length that is written to the bucket. */
interface StreamedBody {
  /** @unit bytes */
  readonly bytes: number;
  readonly body: ReadableStream;
  /** Inspects every part before it is written; an error ends the upload, and nothing is stored. */
  readonly inspect?: (part: Uint8Array) => void;
}

/**
 * Writes a body as it arrives; memory doesn't grow with it.
 * @throws HttpProblem `content_mismatch` if it hasn't the announced length; errors of `inspect` and of the bucket
 */
export async function putStream(
  { bucket, deadline }: Storage,
  key: string,
  { bytes, body, inspect }: StreamedBody,
  options: { readonly sha256?: string } = {},
): Promise<void> {
  const state = { sent: 0, ended: false, refused: null as { error: unknown } | null };
  const inspected = new TransformStream<Uint8Array, Uint8Array>({
    transform: (part, controller) => {
      state.sent += part.length;
      try {
        inspect?.(part);
      } catch (error) {
        state.refused = { error };
        throw error;
      }
      controller.enqueue(part);
    },
    flush: () => void (state.ended = true),
  });
  const { readable, writable } = new FixedLengthStream(bytes);
  const stop = new AbortController();
  const piped = body.pipeThrough(inspected).pipeTo(writable, { signal: stop.signal });
  try {
    const put = bucket.put(key, readable, options);
    await Promise.all([put, piped.then(() => inTime(put, deadline, key))]);
  } catch (cause) {
    stop.abort(); // the sender may still be waiting to write
    await piped.catch(() => undefined);
    if (state.refused) throw state.refused.error;
    if (state.sent > bytes || (state.ended && state.sent < bytes))
      throw new HttpProblem(
        "content_mismatch",
        `the body does not have the ${bytes} bytes that Content-Length announced`,
      );
    throw cause;
  }
}
