import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { encodeManifest, sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { blobKey, manifestKey, sweptKey } from "anchoreval/internal/core/bundle/names";
import { sweepableR2Store } from "anchoreval/internal/bundles/r2-store";
import { sweepBlobs } from "anchoreval/internal/features/publishing/sdk/sweep-blobs";
import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { resealed } from "../../support/tamper.ts";
import { post, problemOf, publishSample, startApp, watchedBucket } from "./support/worker.ts";

const ESTIMATES = "/v1/bundles/sample/1.0.0/estimates";
const ask = post({ responses: sampleAnswers("20") });
const parametersKey = blobKey("sample", sha256Hex(sampleBundle().get("parameters.safetensors")!));
const anchorsKey = blobKey("sample", sha256Hex(sampleBundle().get("anchors.jsonl")!));
const INDEX = "bundles/sample/index.json";
/** The index says whether the version is yanked. */
const COLD_READS = [manifestKey("sample", "1.0.0"), INDEX, parametersKey, anchorsKey];

let log: MockInstance<typeof console.error>;
beforeEach(async () => {
  log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  await publishSample();
});
afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

describe("an isolate", () => {
  test("reads the manifest and the needed data once, then nothing", async () => {
    const bucket = watchedBucket();
    const request = startApp({}, { BUNDLES: bucket });
    for (let i = 0; i < 3; i++) expect((await request(ESTIMATES, ask)).status).toBe(200);
    expect((await request("/v1/bundles/sample/1.0.0/anchors")).status).toBe(200);
    expect((await request("/v1/bundles/sample/1.0.0")).status).toBe(200);
    expect(bucket.reads).toEqual(COLD_READS);
  });

  test("reads once for fifty cold requests at the same time", async () => {
    const bucket = watchedBucket();
    const request = startApp({}, { BUNDLES: bucket });
    const responses = await Promise.all(Array.from({ length: 50 }, () => request(ESTIMATES, ask)));
    const scores = await Promise.all(
      responses.map(async (response) => (await response.json<{ score: number }>()).score),
    );
    expect(new Set(scores).size).toBe(1);
    expect(bucket.reads).toEqual(COLD_READS);
  });

  test("reads the index once a minute for latest", async () => {
    let now = 0;
    const bucket = watchedBucket();
    const request = startApp({ now: () => now }, { BUNDLES: bucket });
    const latest = ESTIMATES.replace("1.0.0", "latest");
    for (now of [0, 30_000, 59_999]) await request(latest, ask);
    expect(bucket.reads).toEqual([INDEX, ...COLD_READS.filter((key) => key !== INDEX)]);
    now = 60_000;
    await request(latest, ask);
    expect(bucket.reads.slice(4)).toEqual(["bundles/sample/index.json"]);
  });

  test("drops the longest unused bundle where there is no room, and stays right", async () => {
    for (const benchmark of ["a", "b", "c"]) await publishSample({ benchmark });
    const bucket = watchedBucket();
    const estimate = async (benchmark: string): Promise<number> => {
      bucket.reads.length = 0;
      const response = await request(`/v1/bundles/${benchmark}/1.0.0/estimates`, ask);
      expect(await response.json()).toMatchObject({ benchmark });
      return bucket.reads.length;
    };
    const one = 20_000; // a sample bundle takes about 16 kB
    const request = startApp({ maxBundleBytes: 2 * one }, { BUNDLES: bucket });
    expect([await estimate("a"), await estimate("b"), await estimate("a")]).toEqual([4, 4, 0]);
    expect(await estimate("c")).toBe(4); // pushes b out
    expect(await estimate("a")).toBe(0);
    expect(await estimate("b")).toBe(2); // its manifest and index are still there
  });

  test("keeps nothing of a bundle larger than the room, and answers all the same", async () => {
    const bucket = watchedBucket();
    const request = startApp({ maxBundleBytes: 1000 }, { BUNDLES: bucket });
    for (let i = 0; i < 2; i++) expect((await request(ESTIMATES, ask)).status).toBe(200);
    expect(bucket.reads).toEqual([...COLD_READS, parametersKey, anchorsKey]);
  });

  test("refuses a bundle that would take its memory, before it is read; its files can be had", async () => {
    const key = manifestKey("sample", "1.0.0");
    const manifest = await (await env.BUNDLES.get(key))!.json<{
      scenarios: { items: number; subscenarios: { items: number }[] }[];
    }>();
    const [scenario] = manifest.scenarios as [(typeof manifest.scenarios)[0]];
    scenario.items += 9_000_000;
    scenario.subscenarios[0]!.items += 9_000_000;
    await env.BUNDLES.put(key, encodeManifest(manifest));
    await env.BUNDLES.delete(INDEX); // it has the digest of the other one
    const bucket = watchedBucket();
    const request = startApp({}, { BUNDLES: bucket });
    const problem = await problemOf(await request(ESTIMATES, ask));
    expect(problem).toMatchObject({ status: 422, code: "unsupported" });
    expect(problem.detail).toMatch(/sample@1\.0\.0 takes \d+ bytes of memory/);
    expect(bucket.reads).not.toContain(parametersKey);
    expect((await request("/v1/bundles/sample/1.0.0/files/anchors.jsonl")).status).toBe(200);
  });

  test("doesn't ask storage for health or a file's size", async () => {
    const bucket = watchedBucket();
    const request = startApp({}, { BUNDLES: bucket });
    await request("/healthz");
    await request("/v1/bundles/sample/1.0.0/files/items.jsonl", { method: "HEAD" });
    expect(bucket.reads).toEqual([manifestKey("sample", "1.0.0"), INDEX]);
  });
});

test("two manifests that were swapped in the bucket are refused, neither is served", async () => {
  await publishSample({ version: "1.1.0", seed: 8 });
  const keys = [manifestKey("sample", "1.0.0"), manifestKey("sample", "1.1.0")] as const;
  const [older, newer] = await Promise.all(keys.map(async (key) => (await env.BUNDLES.get(key))!.arrayBuffer()));
  await env.BUNDLES.put(keys[0], newer!);
  await env.BUNDLES.put(keys[1], older!);
  for (const [here, there] of [
    ["1.0.0", "1.1.0"],
    ["1.1.0", "1.0.0"],
  ] as const)
    // prettier-ignore
    for (const path of ["", "/files/manifest.json", "/anchors", "/files/items.jsonl"]) {
      const problem = await problemOf(await startApp()(`/v1/bundles/sample/${here}${path}`));
      expect(problem).toMatchObject({ status: 500, code: "bundle_mismatch" });
      expect(problem.detail).toContain(`R2 sample@${here} has the manifest of sample@${there}`);
    }
});

describe("a sweep that broke off", () => {
  const names = ["parameters.safetensors", "anchors.jsonl", "items.jsonl"] as const;
  beforeEach(async () => {
    for (const name of names) {
      const [bytes, sha256] = [sampleBundle().get(name)!, sha256Hex(sampleBundle().get(name)!)];
      await env.BUNDLES.put(sweptKey("sample", sha256), bytes);
      await env.BUNDLES.delete(blobKey("sample", sha256));
    }
  });

  test("leaves copies that are served: estimates, whole files, ranges", async () => {
    const request = startApp();
    const { score } = await (await request(ESTIMATES, ask)).json<{ score: number }>();
    expect(score).toBe(estimateFromAnchors(await loadBundle(memorySource(sampleBundle())), sampleAnswers("20")).score);
    for (const name of names) {
      const path = `/v1/bundles/sample/1.0.0/files/${name}`;
      const bytes = sampleBundle().get(name)!;
      expect(new Uint8Array(await (await request(path)).arrayBuffer())).toEqual(bytes);
      const part = await request(path, { headers: { range: "bytes=3-20" } });
      expect(part.status).toBe(206);
      expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(3, 21));
    }
  });

  test("is ended by the next one: contents that are named are back at once", async () => {
    const store = sweepableR2Store(env.BUNDLES);
    expect(await sweepBlobs(store, { now: Date.now() })).toMatchObject({ removed: [], skipped: [] });
    for (const name of names) expect(await env.BUNDLES.head(blobKey("sample", sha256Hex(sampleBundle().get(name)!)))).not.toBeNull(); // prettier-ignore
  });
});

describe("damage", () => {
  const damaged: [string, string, (bytes: Uint8Array) => Uint8Array | null][] = [
    ["a flipped byte of the parameters", parametersKey, (bytes) => bytes.with(-20, bytes.at(-20)! ^ 1)],
    ["a flipped byte of the tensors' header", parametersKey, (bytes) => bytes.with(20, bytes[20]! ^ 1)],
    ["truncated parameters", parametersKey, (bytes) => bytes.slice(0, -8)],
    ["missing parameters", parametersKey, () => null],
    ["a flipped byte of the anchors", anchorsKey, (bytes) => bytes.with(15, bytes[15]! ^ 1)],
    ["missing anchors", anchorsKey, () => null],
  ];
  test.each(damaged)("%s: 500 bundle_corrupt, no score, and right again once mended", async (_, key, change) => {
    const whole = new Uint8Array(await (await env.BUNDLES.get(key))!.arrayBuffer());
    const broken = change(whole);
    await (broken ? env.BUNDLES.put(key, broken) : env.BUNDLES.delete(key));
    const request = startApp();
    const problem = await problemOf(await request(ESTIMATES, ask));
    expect(problem).toMatchObject({ status: 500, code: "bundle_corrupt" });
    expect(JSON.stringify(problem)).not.toContain('"score"');
    await publishSample();
    expect((await request(ESTIMATES, ask)).status).toBe(200);
  });

  test.each([
    ["truncated", (bytes: Uint8Array) => bytes.slice(0, -20), "bundle_corrupt"],
    [
      "without its forms",
      (bytes: Uint8Array) => resealed(bytes, (text) => text.replace('"forms"', '"shapes"')),
      "bundle_invalid",
    ],
    [
      "of a newer format",
      (bytes: Uint8Array) => resealed(bytes, (text) => text.replace('"formatVersion":"1.', '"formatVersion":"2.')),
      "bundle_format_unsupported",
    ],
    ["of another fit of this version", () => sampleBundle({ seed: 8 }).get("manifest.json")!, "bundle_mismatch"],
    ["of another version", () => sampleBundle({ version: "1.1.0" }).get("manifest.json")!, "bundle_mismatch"],
    ["of another benchmark", () => sampleBundle({ benchmark: "other" }).get("manifest.json")!, "bundle_mismatch"],
  ])("a manifest %s", async (_, change, code) => {
    const key = manifestKey("sample", "1.0.0");
    const bytes = new Uint8Array(await (await env.BUNDLES.get(key))!.arrayBuffer());
    await env.BUNDLES.put(key, change(bytes));
    expect(await problemOf(await startApp()(ESTIMATES, ask))).toMatchObject({ status: 500, code });
  });

  const wholeReads: [string, HeadersInit][] = [
    ["", {}],
    [", by a range that is all of it", { range: "bytes=0-" }],
    [", by several ranges", { range: "bytes=0-1,4-5" }],
  ];
  describe.each(["parameters.safetensors", "anchors.jsonl", "items.jsonl", "report.html"] as const)("%s", (name) => {
    const path = `/v1/bundles/sample/1.1.0/files/${name}`;
    const key = blobKey("sample", sha256Hex(sampleBundle({ report: true }).get(name)!));
    beforeEach(() => publishSample({ version: "1.1.0", report: true }));

    test.each(wholeReads)("isn't sent where storage has it damaged or lost it%s", async (_, headers) => {
      const whole = new Uint8Array(await (await env.BUNDLES.get(key))!.arrayBuffer());
      const request = startApp();
      expect((await request(path, { headers })).ok).toBe(true);
      for (const broken of [whole.with(-3, whole.at(-3)! ^ 1), whole.slice(0, -1), null]) {
        await (broken ? env.BUNDLES.put(key, broken) : env.BUNDLES.delete(key));
        const response = await request(path, { headers });
        expect([response.headers.get("etag"), response.headers.get("cache-control")]).toEqual([null, "no-store"]);
        const code = broken ? "damaged" : "missing";
        expect(await problemOf(response)).toMatchObject({ status: 500, code: "bundle_corrupt", issues: [{ code }] });
      }
    });
  });
});

describe("a bundle that is removed while it is in use", () => {
  const remove = async (...keys: string[]): Promise<void> => env.BUNDLES.delete(keys);
  const manifestOf = manifestKey("sample", "1.0.0");

  test("goes on being right where it is in memory", async () => {
    const request = startApp();
    const before: object = await (await request(ESTIMATES, ask)).json();
    await remove(manifestOf, parametersKey, anchorsKey, INDEX);
    expect(await (await request(ESTIMATES, ask)).json()).toEqual(before);
  });

  test("isn't there for isolates that begin then", async () => {
    await remove(manifestOf, parametersKey, anchorsKey, INDEX);
    expect(await problemOf(await startApp()(ESTIMATES, ask))).toMatchObject({ status: 404, code: "not_found" });
  });

  test("is damaged where its manifest is in memory, or still there, and its files are gone: no score", async () => {
    const request = startApp();
    expect((await request("/v1/bundles/sample/1.0.0")).status).toBe(200);
    await remove(parametersKey, anchorsKey);
    for (const send of [request, startApp()])
      for (const [path, init] of [
        [ESTIMATES, ask],
        ["/v1/bundles/sample/1.0.0/files/anchors.jsonl", {}],
        ["/v1/bundles/sample/1.0.0/files/anchors.jsonl", { headers: { range: "bytes=1-5" } }],
      ] as [string, RequestInit][])
        expect(await problemOf(await send(path, init))).toMatchObject({ status: 500, code: "bundle_corrupt" });
  });

  test("between one read and the next: no score", async () => {
    const real = watchedBucket();
    const bucket: typeof real = {
      ...real,
      get: async (key, options) => {
        if (key === parametersKey) await remove(manifestOf, parametersKey, anchorsKey, INDEX);
        return real.get(key, options);
      },
    };
    const problem = await problemOf(await startApp({}, { BUNDLES: bucket })(ESTIMATES, ask));
    expect(problem).toMatchObject({ status: 500, code: "bundle_corrupt" });
  });
});

describe("storage that fails", () => {
  test.each([
    ["at the manifest", (key: string) => key.endsWith("manifest.json"), ESTIMATES],
    ["at the parameters", (key: string) => key === parametersKey, ESTIMATES],
    ["at the index", (key: string) => key.endsWith("index.json"), ESTIMATES.replace("1.0.0", "latest")],
  ])("%s: 503 with Retry-After, no details, and right at the next request", async (_, when, path) => {
    let failing = true;
    const request = startApp({}, { BUNDLES: watchedBucket((key) => failing && when(key)) });
    const response = await request(path, ask);
    expect(response.headers.get("retry-after")).toBe("1");
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ status: 503, code: "unavailable" });
    expect(JSON.stringify(problem)).not.toContain("internal details");
    failing = false;
    expect((await request(path, ask)).status).toBe(200);
  });

  test("at a file's content", async () => {
    const request = startApp({}, { BUNDLES: watchedBucket((key) => key === anchorsKey) });
    const problem = await problemOf(await request("/v1/bundles/sample/1.0.0/files/anchors.jsonl"));
    expect(problem).toMatchObject({ status: 503, code: "unavailable" });
  });

  test("in an unforeseen way: 500 without internals, which the log has", async () => {
    const request = startApp({}, { BUNDLES: null as never });
    const problem = await problemOf(await request("/v1/bundles"));
    expect(problem.status).toBeGreaterThanOrEqual(500);
    expect(JSON.stringify(problem)).not.toMatch(/null|undefined|TypeError|at /);
    expect(log).toHaveBeenCalledOnce();
  });
});
