import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { BundleFileName } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { blobKey, manifestKey } from "anchoreval/internal/core/bundle/names";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { BundleBucket } from "../../../workers/src/platform/env.ts";
import { routingBundle } from "../../support/routing-bundle.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { publication, put, testToken } from "./support/publish.ts";
import { post, problemOf, publishFiles, publishSample, startApp, watchedBucket } from "./support/worker.ts";

const files = sampleBundle();
const blob = (name: BundleFileName): string => blobKey("sample", sha256Hex(files.get(name)!));
const routing = routingBundle("tf-idf", { benchmark: "by-text" });
const [index, manifest] = ["bundles/sample/index.json", manifestKey("sample", "1.0.0")];
const publisher = testToken("publisher", ["publish:*"]);
const ask = post({ responses: sampleAnswers("20") });

beforeAll(async () => {
  await publishSample();
  await publishFiles(routing);
});
afterAll(() => reset());
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

type Stored = NonNullable<Awaited<ReturnType<BundleBucket["get"]>>>;
interface Fault {
  /** In the place of an object. */
  readonly get: (object: Stored) => Promise<Stored>;
  /** In the place of a list, or of what is said of an object. */
  readonly look: () => Promise<never>;
}

const never = (): Promise<never> => new Promise(() => undefined);
const fail = (): Promise<never> => Promise.reject(new Error("internal details of the storage"));
/** Short for what hangs, long enough for what is right on a busy machine. */
const DEADLINE = 150;
const HANGS: Fault = { get: never, look: never };
const FAULTS: Record<string, Fault> = {
  fails: { get: fail, look: fail },
  "doesn't answer": HANGS,
  "stalls in the body": {
    get: (object) => Promise.resolve({ etag: object.etag, size: object.size, body: stuck(), arrayBuffer: never }),
    look: never,
  },
  "breaks off in the body": {
    get: (object) =>
      Promise.resolve({
        etag: object.etag,
        size: object.size,
        body: stuck(new Error("internal details")),
        arrayBuffer: fail,
      }),
    look: fail,
  },
};

/** A body that gives one byte, and then nothing more, or an error. */
function stuck(error?: Error): ReadableStream {
  return new ReadableStream({
    type: "bytes",
    start: (stream) => {
      stream.enqueue(new Uint8Array(1));
      if (error) stream.error(error);
    },
  });
}

/** Takes what is written, and does nothing with it. */
async function swallow(value: Uint8Array | ReadableStream): Promise<void> {
  await new Response(value).arrayBuffer();
}

/** The real bucket, wrong at some keys for as long as `active` is true. */
function faultyBucket(wrong: (key: string) => boolean, { get, look }: Fault) {
  const state = { active: true };
  const real = watchedBucket();
  const isWrong = (key: string): boolean => state.active && wrong(key);
  const bucket: BundleBucket = {
    ...real,
    get: async (key, options) => {
      const object = await real.get(key, options);
      if (!object || !isWrong(key)) return object;
      await object.arrayBuffer();
      return get(object);
    },
    head: (key) => (isWrong(key) ? look() : real.head(key)),
    put: (key: string, value: Uint8Array | ReadableStream, options: never) =>
      isWrong(key) ? swallow(value).then(look) : real.put(key, value as Uint8Array, options),
    list: ((options: { prefix: string; delimiter: string }) =>
      isWrong(`${options.prefix}*`) ? look() : real.list(options)) as BundleBucket["list"],
  };
  return { bucket, state };
}

/** Every read that a route makes: whose failure it can't do without. */
const READS: [string, string, RequestInit | undefined, (key: string) => boolean][] = [
  ["the list of benchmarks", "/v1/bundles", undefined, (key) => key === "bundles/*"],
  ["the index, for the list", "/v1/bundles", undefined, (key) => key === index],
  ["the index, for latest", "/v1/bundles/sample/latest/estimates", ask, (key) => key === index],
  ["the index, for a redirect", "/v1/bundles/sample/latest", undefined, (key) => key === index],
  ["the manifest", "/v1/bundles/sample/1.0.0", undefined, (key) => key === manifest],
  ["the manifest, for an estimate", "/v1/bundles/sample/1.0.0/estimates", ask, (key) => key === manifest],
  ["the parameters", "/v1/bundles/sample/1.0.0/estimates", ask, (key) => key === blob("parameters.safetensors")],
  ["the anchors", "/v1/bundles/sample/1.0.0/anchors", undefined, (key) => key === blob("anchors.jsonl")],
  ["a whole file", "/v1/bundles/sample/1.0.0/files/items.jsonl", undefined, (key) => key === blob("items.jsonl")],
  [
    "a part of a file",
    "/v1/bundles/sample/1.0.0/files/items.jsonl",
    { headers: { range: "bytes=5-99" } },
    (key) => key === blob("items.jsonl"),
  ],
  [
    "the routes",
    "/v1/bundles/by-text/1.0.0/routes",
    post({ questions: [{ id: "q", text: "prime matrix" }], scenario: "alpha" }),
    (key) => key === blobKey("by-text", sha256Hex(routing.get("routing.safetensors")!)),
  ],
];

describe.each(Object.entries(FAULTS))("storage that %s", (_, fault) => {
  test.each(READS)(
    "at %s: 503 with Retry-After, nothing of it shown, and right at the next request",
    async (_, path, init, wrong) => {
      const { bucket, state } = faultyBucket(wrong, fault);
      const request = startApp({ storageDeadline: DEADLINE }, { BUNDLES: bucket });
      const response = await request(path, init);
      expect(response.headers.get("retry-after")).toBe("1");
      expect(response.headers.get("cache-control")).toBe("no-store");
      const problem = await problemOf(response);
      expect(problem).toMatchObject({ status: 503, code: "unavailable" });
      expect(JSON.stringify(problem)).not.toMatch(/internal details|"score"/);
      state.active = false;
      const right = await startApp()(path, init);
      const next = await request(path, init);
      expect(next.status).toBe(right.status);
      expect(new Uint8Array(await next.arrayBuffer())).toEqual(new Uint8Array(await right.arrayBuffer()));
    },
  );

  test("at the index: an estimate that names its version does without", async () => {
    const { bucket } = faultyBucket((key) => key === index, fault);
    const response = await startApp({ storageDeadline: DEADLINE }, { BUNDLES: bucket })(
      "/v1/bundles/sample/1.0.0/estimates",
      ask,
    );
    expect(response.status).toBe(200);
  });
});

describe("publishing, where storage doesn't answer", () => {
  const items = files.get("items.jsonl")!;
  const next = sampleBundle({ version: "2.0.0" });
  const nextManifest = manifestKey("sample", "2.0.0");
  const upload = (bytes: Uint8Array): [string, RequestInit] => [
    `/v1/bundles/sample/blobs/${sha256Hex(bytes)}`,
    put(bytes, publisher.bearer),
  ];
  const publish: [string, RequestInit] = [
    "/v1/bundles/sample/2.0.0/publication",
    publication(next.get("manifest.json")!, publisher.bearer),
  ];
  const yank: [string, RequestInit] = [
    "/v1/bundles/sample/1.0.0/yank",
    {
      method: "PUT",
      body: '{"yanked":true,"reason":"why not"}',
      headers: { "content-type": "application/json", ...publisher.bearer },
    },
  ];
  const fresh = new TextEncoder().encode("not stored yet");

  test.each([
    ["the look-up of a file", upload(items), (key: string) => key === blob("items.jsonl")],
    ["the write of a file", upload(fresh), (key: string) => key.includes("/blobs/")],
    ["the look-up at the publication", publish, (key: string) => key === blob("items.jsonl")],
    ["the manifest's write", publish, (key: string) => key === nextManifest],
    ["a yank's write", yank, (key: string) => key.endsWith("yanked.json")],
  ] as [string, [string, RequestInit], (key: string) => boolean][])(
    "to %s: 503, and nothing is published or taken back",
    async (_, [path, init], wrong) => {
      const { bucket } = faultyBucket(wrong, HANGS);
      const settings = { BUNDLES: bucket, TOKENS: JSON.stringify([publisher.record]) };
      const response = await startApp({ storageDeadline: DEADLINE }, settings)(path, init);
      expect(await problemOf(response)).toMatchObject({ status: 503, code: "unavailable" });
      expect(await env.BUNDLES.head(nextManifest)).toBeNull();
      const { versions }: { versions: { version: string }[] } = await (await startApp()("/v1/bundles/sample")).json();
      expect(versions.map(({ version }) => version)).toEqual(["1.0.0"]);
    },
  );
});
