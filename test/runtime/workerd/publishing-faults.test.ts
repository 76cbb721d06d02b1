import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { AnchorEvalError } from "anchoreval";
import { blobKey, indexKey, manifestKey, sweptKey } from "anchoreval/internal/core/bundle/names";
import { parseManifest } from "anchoreval/internal/bundles/parse-manifest";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { parseIndex } from "anchoreval/internal/bundles/bundle-index";
import { readLog, requireIndexed } from "anchoreval/internal/bundles/publication-log";
import { publishToWorker } from "anchoreval/internal/features/publishing/sdk/publish-to-worker";
import { type R2SweepBucket, sweepableR2Store } from "anchoreval/internal/bundles/r2-store";
import { SWEEP_AGE, sweepBlobs } from "anchoreval/internal/features/publishing/sdk/sweep-blobs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { BundleBucket } from "../../../workers/src/platform/env.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { testToken } from "./support/publish.ts";
import { startApp } from "./support/worker.ts";

// What test/attacks/schedules.test.ts says of the SDK's publishers, of the Worker's own route: real R2, whose calls fail now and
// then, before or after they are carried out, beside sweeps that take everything for old.
const TRIES = 3;
const VERSIONS = ["1.0.0", "1.1.0", "1.2.0"];
const all = new Map(VERSIONS.map((version, k) => [version, sampleBundle({ version, seed: 1 + k })]));

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

/** The real bucket, with calls that fail. */
function faultyBucket(random: RandomSource, rate: number): BundleBucket & R2SweepBucket {
  const call =
    <Arguments extends unknown[], T>(method: (...values: Arguments) => Promise<T>) =>
    async (...values: Arguments): Promise<T> => {
      const fault = random.next() < rate;
      if (fault && random.next() < 0.5) throw new Error("R2: internal error, nothing was done");
      const result = await method(...values);
      if (fault) throw new Error("R2: internal error, it was done");
      return result;
    };
  const bucket = env.BUNDLES;
  return {
    get: call((key: string, options?: R2GetOptions) => bucket.get(key, options ?? {})),
    head: call((key: string) => bucket.head(key)),
    put: call((...values: Parameters<typeof bucket.put>) => bucket.put(...values)),
    list: call((options: R2ListOptions) => bucket.list(options)),
    delete: call((key: string) => bucket.delete(key)),
  };
}

/** Versions that the index lists and readers don't find whole. */
async function missing(): Promise<string[]> {
  const store = sweepableR2Store(env.BUNDLES);
  const there = await store.get(indexKey("sample"));
  const index = there && parseIndex(there.bytes);
  const gone: string[] = [];
  for (const { version } of index?.versions ?? []) {
    const manifest = parseManifest((await store.get(manifestKey("sample", version)))!.bytes);
    for (const { name, sha256 } of manifest.files)
      if (!(await env.BUNDLES.head(blobKey("sample", sha256))) && !(await env.BUNDLES.head(sweptKey("sample", sha256))))
        gone.push(`${version} is listed without its ${name}`);
  }
  if (index) requireIndexed(await readLog(store, "sample"), index, "log.jsonl");
  return gone;
}

test(`${TRIES} times three publishers at a Worker beside sweeps: what is listed is whole, and the log has it`, async () => {
  const publisher = testToken("publisher", ["publish:sample"]);
  for (let k = 0; k < TRIES; k++) {
    const random = createRandom(`publishing faults ${k}`);
    const bucket = faultyBucket(random, [0.01, 0.03, 0.08][k % 3]!);
    const publish = async (version: string, to: BundleBucket): Promise<unknown> => {
      const request = startApp({}, { BUNDLES: to, TOKENS: JSON.stringify([publisher.record]) });
      // With the length, which a connection would add.
      const send = (url: string, { headers, ...init }: RequestInit = {}) =>
        request(new URL(url).pathname, {
          ...init,
          headers: { ...(headers as object), "content-length": String((init.body as Uint8Array).length) },
        });
      const token = publisher.bearer.authorization.replace("Bearer ", "");
      const options = { baseUrl: "http://localhost", token, fetch: send as unknown as typeof fetch, maxRetries: 0 };
      return publishToWorker(all.get(version)!, options);
    };
    const sweep = (of: BundleBucket & R2SweepBucket): Promise<unknown> =>
      sweepBlobs(sweepableR2Store(of), { now: Date.now() + 2 * SWEEP_AGE });
    const tolerant = (work: Promise<unknown>): Promise<unknown> =>
      work.catch((error: unknown) => {
        if (!(error instanceof AnchorEvalError)) throw error;
      });
    await Promise.all([
      ...VERSIONS.map((version) => tolerant(publish(version, bucket))),
      ...VERSIONS.map(() => tolerant(sweep(bucket))),
    ]);
    expect(await missing()).toEqual([]);
    for (const version of VERSIONS) await publish(version, env.BUNDLES);
    expect(await missing()).toEqual([]);
    expect(parseIndex((await sweepableR2Store(env.BUNDLES).get(indexKey("sample")))!.bytes)!.latest).toBe("1.2.0");
    await reset();
  }
});
