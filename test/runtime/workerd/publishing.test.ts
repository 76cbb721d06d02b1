import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { BundleFileName } from "anchoreval/bundle";
import { encodeManifest, sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { blobKey, manifestKey } from "anchoreval/internal/core/bundle/names";
import type { Tensor } from "anchoreval/internal/core/bundle/safetensors";
import { parseIndex } from "anchoreval/internal/bundles/bundle-index";
import { headOf, parseLog } from "anchoreval/internal/bundles/publication-log";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { withTensor } from "../../support/tamper.ts";
import { publication, publishOverHttp, put, testToken } from "./support/publish.ts";
import { post, problemOf, startApp, watchedBucket } from "./support/worker.ts";

const publisher = testToken("publisher", ["publish:sample"]);
const reader = testToken("reader", ["read:sample"]);
const TOKENS = JSON.stringify([publisher.record, reader.record]);
const ESTIMATES = "/v1/bundles/sample/1.0.0/estimates";
const files = sampleBundle();
const manifest = files.get("manifest.json")!;
const items = files.get("items.jsonl")!;
const at = (bytes: Uint8Array): string => `/v1/bundles/sample/blobs/${sha256Hex(bytes)}`;
const PUBLICATION = "/v1/bundles/sample/1.0.0/publication";
/** The manifest with one change. */
const changed = (change: (value: Record<string, unknown>) => void): Uint8Array => {
  const value = JSON.parse(new TextDecoder().decode(manifest)) as Record<string, unknown>;
  change(value);
  return encodeManifest(value);
};

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

describe("publishing over HTTP", () => {
  test("files, then one publication, and the bundle answers at once", async () => {
    const request = startApp({}, { TOKENS });
    const response = await publishOverHttp(request, files, publisher.bearer);
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      benchmark: "sample",
      version: "1.0.0",
      digest: `sha256:${sha256Hex(manifest)}`,
      status: "published",
      latest: "1.0.0",
    });
    expect((await request(ESTIMATES, post({ responses: sampleAnswers("20") }))).status).toBe(200);
    expect(
      (await request("/v1/bundles/sample/latest/estimates", post({ responses: sampleAnswers("20") }))).status,
    ).toBe(200);
  });

  test("the same again changes nothing", async () => {
    const request = startApp({}, { TOKENS });
    await publishOverHttp(request, files, publisher.bearer);
    const stored = await env.BUNDLES.list();
    expect((await request(at(items), put(items, publisher.bearer))).status).toBe(200);
    expect((await publishOverHttp(request, files, publisher.bearer)).status).toBe(200);
    expect((await env.BUNDLES.list()).objects.map(({ key, version }) => [key, version])).toEqual(
      stored.objects.map(({ key, version }) => [key, version]),
    );
  });

  test("other content under the same version is refused, and nothing is lost", async () => {
    const request = startApp({}, { TOKENS });
    await publishOverHttp(request, files, publisher.bearer);
    const response = await publishOverHttp(request, sampleBundle({ seed: 8 }), publisher.bearer);
    expect(await problemOf(response)).toMatchObject({ status: 409, code: "version_conflict" });
    const there = await env.BUNDLES.get(manifestKey("sample", "1.0.0"));
    expect(new Uint8Array(await there!.arrayBuffer())).toEqual(manifest);
  });

  test("a file that was damaged in storage is mended by uploading it again", async () => {
    const request = startApp({}, { TOKENS });
    await publishOverHttp(request, files, publisher.bearer);
    await env.BUNDLES.put(blobKey("sample", sha256Hex(items)), "damaged");
    expect((await request(PUBLICATION, publication(manifest, publisher.bearer))).status).toBe(422);
    expect((await request(at(items), put(items, publisher.bearer))).status).toBe(201);
    expect((await request(PUBLICATION, publication(manifest, publisher.bearer))).status).toBe(200);
  });

  test("a file written by another program is read and checked", async () => {
    const request = startApp({}, { TOKENS });
    for (const [name, bytes] of files)
      if (name !== "manifest.json") await env.BUNDLES.put(blobKey("sample", sha256Hex(bytes)), bytes);
    expect((await request(PUBLICATION, publication(manifest, publisher.bearer))).status).toBe(201);
  });
});

describe("a bundle is estimated with before it is committed", () => {
  const garbage: [string, (own: Tensor) => Tensor, string][] = [
    ["parameters beyond all bounds", (own) => ({ ...own, data: Float32Array.from(own.data).fill(3e38) }), "at most ±1000"],
    ["parameters that are no numbers", (own) => ({ ...own, data: Float32Array.from(own.data).fill(NaN) }), "scenario.0.a"],
    ["parameters of another shape", (own) => ({ ...own, shape: [own.data.length] }), "shape"],
  ]; // prettier-ignore
  test.each(garbage)("%s, with the right digests, are refused with the reason", async (_, change, reason) => {
    const request = startApp({}, { TOKENS });
    await publishOverHttp(request, files, publisher.bearer);
    const bad = withTensor(sampleBundle({ version: "1.1.0" }), "scenario.0.a", change);
    const problem = await problemOf(await publishOverHttp(request, bad, publisher.bearer));
    expect(problem).toMatchObject({ status: 422, code: "invalid_request" });
    expect(problem.detail).toContain(reason);
    expect(await env.BUNDLES.head(manifestKey("sample", "1.1.0"))).toBeNull();
    const { latest } = await (await request("/v1/bundles/sample")).json<{ latest: string }>();
    expect(latest).toBe("1.0.0");
  });
});

describe("what is refused before anything is written", () => {
  const written = async (): Promise<string[]> =>
    (await env.BUNDLES.list()).objects.map(({ key }) => key).filter((key) => !key.includes("/blobs/"));
  const upload = async (request: ReturnType<typeof startApp>, omit?: BundleFileName): Promise<void> => {
    for (const [name, bytes] of files)
      if (name !== "manifest.json" && name !== omit) await request(at(bytes), put(bytes, publisher.bearer));
  };
  const other = new TextEncoder().encode("other content");

  test.each<[string, string, RequestInit, number, string]>([
    ["another digest", at(items), put(other, publisher.bearer), 422, "content_mismatch"],
    ["no SHA-256", "/v1/bundles/sample/blobs/abc", put(other, publisher.bearer), 404, "not_found"],
    [
      "a benchmark's name that is none",
      `/v1/bundles/Sample!/blobs/${sha256Hex(other)}`,
      put(other, publisher.bearer),
      404,
      "not_found",
    ],
    ["no token", at(items), put(items, {}), 401, "unauthorized"],
    ["a token of another scope", at(items), put(items, reader.bearer), 403, "forbidden"],
    ["a publication without token", PUBLICATION, publication(manifest, {}), 401, "unauthorized"],
    ["a malformed one without token", PUBLICATION, publication(new TextEncoder().encode("{"), {}), 401, "unauthorized"],
    ["a publication to read", PUBLICATION, publication(manifest, reader.bearer), 403, "forbidden"],
    ["a manifest that is no JSON", PUBLICATION, publication("{", publisher.bearer), 400, "malformed_json"],
    [
      "a manifest of another version",
      "/v1/bundles/sample/1.0.1/publication",
      publication(manifest, publisher.bearer),
      422,
      "invalid_request",
    ],
    ["an empty manifest", PUBLICATION, publication("{}", publisher.bearer), 422, "invalid_request"],
    [
      "a file name outside the format",
      PUBLICATION,
      publication(
        changed((value) => ((value.files as { name: string }[])[0]!.name = "../x")),
        publisher.bearer,
      ),
      422,
      "invalid_request",
    ],
    [
      "a wrong size",
      PUBLICATION,
      publication(
        changed((value) => ((value.files as { bytes: number }[]).at(-1)!.bytes += 1)),
        publisher.bearer,
      ),
      422,
      "content_mismatch",
    ],
    ["a DELETE", PUBLICATION, { method: "DELETE" }, 405, "method_not_allowed"],
  ])("%s", async (_, path, init, status, code) => {
    const request = startApp({}, { TOKENS });
    await upload(request);
    expect(await problemOf(await request(path, init))).toMatchObject({ status, code });
    expect(await written()).toEqual([]);
  });

  test("a file that is missing, by its name", async () => {
    const request = startApp({}, { TOKENS });
    await upload(request, "items.jsonl");
    const problem = await problemOf(await request(PUBLICATION, publication(manifest, publisher.bearer)));
    expect(problem).toMatchObject({ status: 422, code: "content_mismatch" });
    expect(problem.issues).toMatchObject([
      { code: "missing", message: expect.stringContaining("items.jsonl") as string },
    ]);
    expect(await written()).toEqual([]);
  });

  test("a body without length, and one over the limit", async () => {
    const request = startApp({}, { TOKENS, MAX_BLOB_BYTES: 10 });
    expect(await problemOf(await request(at(items), put(items, publisher.bearer)))).toMatchObject({ status: 413 });
    const chunks = new Blob([items]).stream();
    const init = { method: "PUT", body: chunks, headers: publisher.bearer, duplex: "half" };
    expect(await problemOf(await request(at(items), init))).toMatchObject({ status: 411 });
  });

  test("a body shorter or longer than announced", async () => {
    const request = startApp({}, { TOKENS });
    for (const length of [items.length - 1, items.length + 1]) {
      const init = put(items, { ...publisher.bearer, "content-length": String(length) });
      expect(await problemOf(await request(at(items), init))).toMatchObject({ status: 422, code: "content_mismatch" });
    }
    expect((await env.BUNDLES.list()).objects).toEqual([]);
  });
});

describe("publishers that meet or die", () => {
  test("of six with two contents, one content wins; the others are told", async () => {
    const request = startApp({}, { TOKENS });
    const contents = [files, sampleBundle({ seed: 8 })];
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, k) => publishOverHttp(request, contents[k % 2]!, publisher.bearer)),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    expect(statuses.filter((status) => status === 409)).toHaveLength(3);
  });

  test("different versions at once are all in the index", async () => {
    const request = startApp({}, { TOKENS });
    const versions = Array.from({ length: 4 }, (_, k) => `1.${k}.0`);
    const responses = await Promise.all(
      versions.map((version) => publishOverHttp(request, sampleBundle({ version }), publisher.bearer)),
    );
    expect(responses.map(({ status }) => status)).toEqual(versions.map(() => 201));
    const index = await env.BUNDLES.get("bundles/sample/index.json");
    const found = parseIndex(new Uint8Array(await index!.arrayBuffer()))!;
    expect(found.versions.map(({ version }) => version)).toEqual(versions);
    expect(found.latest).toBe("1.3.0");
    const log = await parseLog(
      new Uint8Array(await (await env.BUNDLES.get("bundles/sample/log.jsonl"))!.arrayBuffer()),
      "",
    );
    expect(log.entries.map(({ version, publisher: by }) => `${version} ${by!}`).sort()).toEqual(
      versions.map((version) => `${version} publisher`),
    );
    expect(found.log).toEqual(headOf(log));
  });

  test("storage that fails at any write: 503, no half version, and trying again ends it", async () => {
    // Three contents, which are alike, then the manifest and what names it.
    for (const step of [0, 3, 4, 5, 6, 7]) {
      await reset();
      let writes = 0;
      const bucket = watchedBucket();
      const dying: typeof bucket = {
        ...bucket,
        put: (key: string, value: Uint8Array | ReadableStream, options: R2PutOptions) =>
          writes++ === step ? Promise.reject(new Error("gone")) : env.BUNDLES.put(key, value, options),
      };
      const request = startApp({}, { TOKENS, BUNDLES: dying });
      const response = await publishOverHttp(request, files, publisher.bearer);
      if (!response.ok) {
        expect(response.status).toBe(503);
        const version = await startApp()("/v1/bundles/sample/1.0.0");
        if (version.ok)
          expect((await startApp()(ESTIMATES, post({ responses: sampleAnswers("20") }))).status).toBe(200);
      }
      const again = await publishOverHttp(startApp({}, { TOKENS }), files, publisher.bearer);
      expect([200, 201]).toContain(again.status);
      expect((await again.json<{ latest: string }>()).latest).toBe("1.0.0");
    }
  });
});

describe("a version that is taken back", () => {
  const YANK = "/v1/bundles/sample/1.0.0/yank";
  const yank = (body: object, headers: Record<string, string> = publisher.bearer): RequestInit => ({
    ...post(body, headers),
    method: "PUT",
  });
  const reason = "wrong keys: use 1.0.1";
  const warnings = async (request: ReturnType<typeof startApp>, path = ESTIMATES): Promise<string[]> => {
    const response = await request(path, post({ responses: sampleAnswers("20") }));
    const { warnings: found } = await response.json<{ warnings: { code: string; message: string }[] }>();
    return found.filter(({ code }) => code === "yanked_version").map(({ message }) => message);
  };

  test("answers by its number with a warning, isn't listed, isn't latest; and may come back", async () => {
    const request = startApp({}, { TOKENS });
    await publishOverHttp(request, sampleBundle({ version: "0.9.0" }), publisher.bearer);
    await publishOverHttp(request, files, publisher.bearer);
    expect(await warnings(request)).toEqual([]);
    const response = await request(YANK, yank({ yanked: true, reason }));
    expect(await response.json()).toMatchObject({
      latest: "0.9.0",
      versions: [{ version: "0.9.0" }],
      yanked: [{ version: "1.0.0", reason }],
    });
    for (const isolate of [request, startApp()]) {
      expect(await warnings(isolate)).toEqual([`version 1.0.0 was yanked by its publisher: ${reason}`]);
      expect(await warnings(isolate, "/v1/bundles/sample/latest/estimates")).toEqual([]);
    }
    const batch = await request(
      `${ESTIMATES}/batch`,
      post({ models: [{ model: "a", responses: sampleAnswers("20") }] }),
    );
    expect(await batch.text()).toContain(reason);
    expect(await (await request(YANK, yank({ yanked: false }))).json()).toMatchObject({ latest: "1.0.0" });
    expect(await warnings(startApp())).toEqual([]);
  });

  test("leaves who published, yanked and took it back in the log, to all who may read the benchmark", async () => {
    const request = startApp({ now: () => Date.UTC(2026, 0, 1) }, { TOKENS });
    expect((await problemOf(await request("/v1/bundles/sample/log.jsonl"))).status).toBe(404);
    await publishOverHttp(request, files, publisher.bearer);
    await request(YANK, yank({ yanked: true, reason }));
    await request(YANK, yank({ yanked: true, reason }));
    await request(YANK, yank({ yanked: false }));
    const response = await request("/v1/bundles/sample/log.jsonl");
    expect([response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual(["application/x-ndjson", "no-store"]); // prettier-ignore
    const log = await parseLog(new Uint8Array(await response.arrayBuffer()), "log.jsonl");
    expect(
      log.entries.map((entry) => [entry.action, entry.version, entry.publisher, entry.time, entry.reason]),
    ).toEqual([
      ["publish", "1.0.0", "publisher", "2026-01-01T00:00:00.000Z", undefined],
      ["yank", "1.0.0", "publisher", "2026-01-01T00:00:00.000Z", reason],
      ["unyank", "1.0.0", "publisher", "2026-01-01T00:00:00.000Z", undefined],
    ]);
    expect(await (await request("/v1/bundles/sample")).json()).toMatchObject({ log: headOf(log) });
  });

  test("stays taken back where the index is lost", async () => {
    const request = startApp({}, { TOKENS });
    await publishOverHttp(request, files, publisher.bearer);
    await request(YANK, yank({ yanked: true, reason }));
    await env.BUNDLES.delete("bundles/sample/index.json");
    expect(await warnings(startApp())).toHaveLength(1);
    await publishOverHttp(startApp({}, { TOKENS }), sampleBundle({ version: "1.1.0" }), publisher.bearer);
    expect(await warnings(startApp())).toHaveLength(1);
  });

  test("an estimate doesn't fail where the index can't be read", async () => {
    const request = startApp({}, { TOKENS });
    await publishOverHttp(request, files, publisher.bearer);
    const blind = startApp({}, { BUNDLES: watchedBucket((key) => key.endsWith("index.json")) });
    expect((await blind(ESTIMATES, post({ responses: sampleAnswers("20") }))).status).toBe(200);
  });

  test.each<[string, string, RequestInit, number, string]>([
    ["without a token", YANK, yank({ yanked: true, reason }, {}), 401, "requires a bearer token"],
    ["without the scope", YANK, yank({ yanked: true, reason }, reader.bearer), 403, "publish:sample"],
    ["without a reason", YANK, yank({ yanked: true }), 422, "reason: "],
    ["with a reason to offer it", YANK, yank({ yanked: false, reason }), 422, '"reason"'],
    ["neither way", YANK, yank({ reason }), 422, "yanked: "],
    ["of what isn't there", "/v1/bundles/sample/9.9.9/yank", yank({ yanked: true, reason }), 404, "sample@9.9.9"],
  ])("%s: refused", async (_, path, init, status, words) => {
    const request = startApp({}, { TOKENS });
    await publishOverHttp(request, files, publisher.bearer);
    const { status: own, detail } = await problemOf(await request(path, init));
    expect([own, detail]).toEqual([status, expect.stringContaining(words)]);
    expect(await warnings(startApp())).toEqual([]);
  });
});

describe("a card", () => {
  const CARD = "/v1/bundles/sample/1.0.0/card";
  const card = (body: BodyInit, headers: Record<string, string> = publisher.bearer, type = "text/markdown") => ({
    method: "PUT",
    body,
    headers: { "content-type": type, ...headers },
  });
  const read = (request: ReturnType<typeof startApp>) => request("/v1/bundles/sample/1.0.0/files/card.md");

  test("is written beside a version, replaced, and read by anyone, not for good", async () => {
    const request = startApp({}, { TOKENS });
    await publishOverHttp(request, files, publisher.bearer);
    expect((await problemOf(await read(request))).status).toBe(404);
    for (const text of ["# sample\n", "# Größe\n"]) {
      expect((await request(CARD, card(text))).status).toBe(204);
      const response = await read(startApp());
      expect(await response.text()).toBe(text);
      expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    }
    const again = await publishOverHttp(request, files, publisher.bearer);
    expect([again.status, await (await read(request)).text()]).toEqual([200, "# Größe\n"]);
  });

  test.each<[string, string, RequestInit, number]>([
    ["without a token", CARD, card("# a", {}), 401],
    ["without the scope", CARD, card("# a", reader.bearer), 403],
    ["as another type", CARD, card("# a", publisher.bearer, "text/html"), 415],
    ["of what isn't there", "/v1/bundles/sample/9.9.9/card", card("# a"), 404],
    ["without a word", CARD, card(""), 422],
    ["that isn't text", CARD, card(new Uint8Array([255, 254, 0])), 422],
    ["longer than 64 KiB", CARD, card("a".repeat(65_537)), 413],
  ])("%s: refused", async (_, path, init, status) => {
    const request = startApp({}, { TOKENS });
    await publishOverHttp(request, files, publisher.bearer);
    expect((await problemOf(await request(path, init))).status).toBe(status);
    expect((await read(request)).status).toBe(404);
  });
});
