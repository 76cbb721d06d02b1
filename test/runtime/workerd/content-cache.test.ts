import { reset } from "cloudflare:test";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { blobKey, manifestKey } from "anchoreval/internal/core/bundle/names";
import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import type { ContentCache } from "../../../workers/src/bundles/content-cache.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { testToken } from "./support/publish.ts";
import { post, problemOf, publishSample, startApp, watchedBucket } from "./support/worker.ts";

const files = sampleBundle();
const items = files.get("items.jsonl")!;
const FILE = "/v1/bundles/sample/1.0.0/files/items.jsonl";
const ESTIMATES = "/v1/bundles/sample/1.0.0/estimates";
const ask = post({ responses: sampleAnswers("20") });
const keyOf = (bytes: Uint8Array): string => blobKey("sample", sha256Hex(bytes));
const INDEX = "bundles/sample/index.json";

let log: MockInstance<typeof console.error>;
/** The real Cache API, empty, and the addresses that were written. */
let contents: ContentCache & { written: string[] };
let round = 0;
beforeEach(async () => {
  log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  await publishSample();
  const cache = await caches.open(`contents-${++round}`);
  const written: string[] = [];
  contents = {
    written,
    match: (url) => cache.match(url),
    put: (url, response) => (written.push(url), cache.put(url, response)),
    delete: (url) => cache.delete(url),
  };
});
afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

/** Another isolate of the same colo: its own memory, the same cache. */
function isolate(bindings: Parameters<typeof startApp>[1] = {}, cache: ContentCache = contents) {
  const bucket = watchedBucket();
  return { bucket, request: startApp({ contents: cache }, { BUNDLES: bucket, ...bindings }) };
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

describe("isolates of a colo share", () => {
  test("whole files: the second one doesn't ask storage for them", async () => {
    const [one, two] = [isolate(), isolate()];
    expect(await bytesOf(await one.request(FILE))).toEqual(items);
    expect(await bytesOf(await two.request(FILE))).toEqual(items);
    expect(one.bucket.reads).toEqual([manifestKey("sample", "1.0.0"), INDEX, keyOf(items)]);
    expect(two.bucket.reads).toEqual([manifestKey("sample", "1.0.0"), INDEX]);
  });

  test("what estimates are made from, with the same numbers", async () => {
    const [one, two] = [isolate(), isolate()];
    const [first, second] = [await one.request(ESTIMATES, ask), await two.request(ESTIMATES, ask)];
    expect(await second.json()).toEqual(await first.json());
    expect(two.bucket.reads.toSorted()).toEqual([manifestKey("sample", "1.0.0"), INDEX]);
  });

  test("manifests, where the index is here to tell their digest", async () => {
    for (const { request } of [isolate(), isolate()]) await request("/v1/bundles/sample/latest/estimates", ask);
    const { bucket, request } = isolate();
    expect((await request("/v1/bundles/sample/latest/estimates", ask)).status).toBe(200);
    expect(bucket.reads).toEqual([INDEX]);
  });
});

test("everything lies under its digest: another content under the same name is never mixed up with it", async () => {
  await isolate().request(FILE);
  expect(contents.written).toEqual([`http://localhost/contents/${sha256Hex(items)}`]);
  await reset();
  await publishSample({ report: true }); // the same version, published anew in a bucket that was emptied
  const { bucket, request } = isolate();
  const manifest = sampleBundle({ report: true }).get("manifest.json")!;
  await request("/v1/bundles/sample"); // the index
  expect(await bytesOf(await request("/v1/bundles/sample/1.0.0"))).toEqual(manifest);
  expect(bucket.reads).toContain(manifestKey("sample", "1.0.0"));
});

test("neither ranges nor what a caller has already touch it", async () => {
  const { request } = isolate();
  expect((await request(FILE, { headers: { range: "bytes=0-3" } })).status).toBe(206);
  expect((await request(FILE, { method: "HEAD" })).status).toBe(200);
  expect((await request(FILE, { headers: { "if-none-match": "*" } })).status).toBe(304);
  expect(contents.written).toEqual([]);
});

describe("protected benchmarks", () => {
  const reader = testToken("reader", ["read:sample"]);
  const settings = { TOKENS: JSON.stringify([reader.record]), PROTECTED_BENCHMARKS: "sample" };

  test("are never in it", async () => {
    const { request } = isolate(settings);
    expect(await bytesOf(await request(FILE, { headers: reader.bearer }))).toEqual(items);
    await request(ESTIMATES, { ...ask, headers: { ...(ask.headers as Record<string, string>), ...reader.bearer } });
    expect(contents.written).toEqual([]);
  });

  test("are refused before it is asked, and aren't answered from it, though they were open once", async () => {
    await isolate().request(FILE);
    const match = vi.spyOn(contents, "match");
    const { bucket, request } = isolate(settings);
    expect((await request(FILE)).status).toBe(401);
    expect(bucket.reads).toEqual([]);
    expect(await bytesOf(await request(FILE, { headers: reader.bearer }))).toEqual(items);
    expect(bucket.reads).toContain(keyOf(items));
    expect(match).not.toHaveBeenCalled();
  });
});

describe("damage", () => {
  const url = (bytes: Uint8Array): string => `http://localhost/contents/${sha256Hex(bytes)}`;
  const headers = { "cache-control": "max-age=60" };

  test.each([
    ["another byte", items.with(7, items[7]! ^ 1)],
    ["an end too early", items.slice(0, -1)],
    ["nothing", new Uint8Array(0)],
  ])("in the cache is noticed: %s", async (_, broken) => {
    await contents.put(url(items), new Response(broken, { headers }));
    const { bucket, request } = isolate();
    expect(await bytesOf(await request(FILE))).toEqual(items);
    expect(bucket.reads).toContain(keyOf(items));
    expect(log.mock.calls.flat().join()).toContain('"event":"cache_damaged"');
    // And mended.
    const next = isolate();
    expect(await bytesOf(await next.request(FILE))).toEqual(items);
    expect(next.bucket.reads).not.toContain(keyOf(items));
  });

  test("of the parameters there: the score is right", async () => {
    const parameters = files.get("parameters.safetensors")!;
    const right: { score: number } = await (await startApp()(ESTIMATES, ask)).json();
    await contents.put(url(parameters), new Response(parameters.with(-20, parameters.at(-20)! ^ 1), { headers }));
    expect(await (await isolate().request(ESTIMATES, ask)).json()).toEqual(right);
  });

  test("in storage never gets into the cache", async () => {
    const bucket = watchedBucket();
    await bucket.put(keyOf(items), items.with(7, items[7]! ^ 1), { onlyIf: { etagDoesNotMatch: "none" } });
    expect(await problemOf(await isolate().request(FILE))).toMatchObject({ code: "bundle_corrupt" });
    expect(contents.written).toEqual([]);
  });
});

describe("a cache that doesn't work is none", () => {
  const broken: [string, Partial<ContentCache>][] = [
    ["has no effect", { match: () => Promise.resolve(undefined), put: () => Promise.resolve() }],
    ["fails to read", { match: () => Promise.reject(new Error("no cache")) }],
    [
      "throws",
      {
        match: () => {
          throw new Error("no cache");
        },
      },
    ],
    ["fails to write", { put: () => Promise.reject(new Error("no cache")) }],
    ["hangs", { match: () => new Promise(() => undefined), put: () => new Promise(() => undefined) }],
    [
      "breaks off",
      {
        match: () =>
          Promise.resolve(new Response(new ReadableStream({ start: (stream) => stream.error(new Error("gone")) }))),
      },
    ],
  ];
  test.each(broken)("%s", async (_, fault) => {
    const { request } = isolate({}, { ...contents, ...fault });
    expect(await bytesOf(await request(FILE))).toEqual(items);
    expect((await request(ESTIMATES, ask)).status).toBe(200);
  });
});
