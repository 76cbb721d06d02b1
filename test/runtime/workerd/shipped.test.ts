import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { BundleFileName } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { blobKey, cardKey, manifestKey } from "anchoreval/internal/core/bundle/names";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ShippedObjects } from "../../../workers/src/bundles/shipped-bucket.ts";
import type { ShippedFiles } from "../../../workers/src/platform/env.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { publishOverHttp, testToken } from "./support/publish.ts";
import { post, problemOf, publishSample, startApp } from "./support/worker.ts";

const publisher = testToken("publisher", ["publish:sample"]);
const TOKENS = JSON.stringify([publisher.record]);
const files = sampleBundle();
const digest = (bytes: ReadonlyMap<BundleFileName, Uint8Array>): string =>
  `sha256:${sha256Hex(bytes.get("manifest.json")!)}`;

/** Static files as the build lays them: a bundle and its card. */
function staticFiles(bundle = files, card = "# sample\n"): ShippedFiles & { readonly paths: string[] } {
  const contents = new Map<string, Uint8Array>([[cardKey("sample", "1.0.0"), new TextEncoder().encode(card)]]);
  for (const [name, bytes] of bundle)
    contents.set(
      name === "manifest.json" ? manifestKey("sample", "1.0.0") : blobKey("sample", sha256Hex(bytes)),
      bytes,
    );
  const objects = Object.fromEntries(
    Array.from(contents, ([key, bytes]) => [key, { bytes: bytes.length, sha256: sha256Hex(bytes) }]),
  );
  const entry = { version: "1.0.0", digest: digest(bundle), created: "2026-01-01T00:00:00Z", yanked: false };
  const list: ShippedObjects = { objects, versions: { sample: [entry] } };
  const paths: string[] = [];
  return {
    paths,
    fetch: (url) => {
      const path = new URL(url).pathname.replace("/shipped/", "");
      paths.push(path);
      const bytes = path === "objects.json" ? JSON.stringify(list) : contents.get(path);
      return Promise.resolve(
        bytes === undefined ? new Response(null, { status: 404 }) : new Response(bytes as BodyInit),
      );
    },
  };
}

const start = (bindings: Parameters<typeof startApp>[1] = {}) =>
  startApp({}, { SHIPPED: staticFiles(), TOKENS, ...bindings });
const versions = async (request: ReturnType<typeof startApp>): Promise<unknown> =>
  (await request("/v1/bundles")).json();
const ESTIMATES = "/v1/bundles/sample/latest/estimates";
const answers = post({ responses: sampleAnswers("20") });

afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

describe("bundles that come along with a deployment", () => {
  test("are listed and answer in an empty bucket, as if they were published", async () => {
    const request = start();
    const one = {
      benchmark: "sample",
      latest: "1.0.0",
      versions: [{ version: "1.0.0", digest: digest(files) }],
      yanked: [],
    };
    expect(await versions(request)).toEqual({ benchmarks: [one] });
    const estimate = await (await request(ESTIMATES, answers)).json();
    await publishSample();
    expect(await (await startApp()(ESTIMATES, answers)).json()).toEqual(estimate);
  });

  test("have their files, whole and by range, and their card", async () => {
    const request = start();
    const at = "/v1/bundles/sample/1.0.0/files";
    const items = files.get("items.jsonl")!;
    for (const [name, bytes] of files)
      expect(new Uint8Array(await (await request(`${at}/${name}`)).arrayBuffer()), name).toEqual(bytes);
    const part = await request(`${at}/items.jsonl`, { headers: { range: "bytes=10-29" } });
    expect([part.status, new Uint8Array(await part.arrayBuffer())]).toEqual([206, items.slice(10, 30)]);
    expect(await (await request(`${at}/card.md`)).text()).toBe("# sample\n");
    expect((await problemOf(await request("/v1/bundles/other/1.0.0"))).status).toBe(404);
  });

  test("an estimate reads the list and its own files once, and benchmarks of the bucket none", async () => {
    const SHIPPED = staticFiles();
    const request = start({ SHIPPED });
    await publishSample({ benchmark: "own" });
    await request("/v1/bundles/own/1.0.0/estimates", answers);
    expect(SHIPPED.paths).toEqual(["objects.json"]); // whether the bucket's is all that there is
    for (let k = 0; k < 3; k++) await request(ESTIMATES, answers);
    expect(new Set(SHIPPED.paths).size).toBe(SHIPPED.paths.length);
  });

  test("stand beside what is published: newer versions are latest, another bundle of the version wins", async () => {
    const request = start();
    expect((await publishOverHttp(request, sampleBundle({ version: "1.1.0" }), publisher.bearer)).status).toBe(201);
    expect(await versions(request)).toMatchObject({
      benchmarks: [{ latest: "1.1.0", versions: [{ version: "1.0.0" }, { version: "1.1.0" }] }],
    });
    await reset();
    const older = await publishSample({ seed: 8 });
    expect(await versions(start())).toMatchObject({ benchmarks: [{ versions: [{ digest: older.digest }] }] });
    expect((await start()("/v1/bundles/sample/1.0.0")).headers.get("etag")).toContain(older.digest);
  });

  test("can't be published otherwise, may be published as they are, and get a card of one's own", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const request = start();
    expect((await publishOverHttp(request, files, publisher.bearer)).status).toBe(200);
    const other = await publishOverHttp(request, sampleBundle({ seed: 8 }), publisher.bearer);
    expect((await problemOf(other)).code).toBe("version_conflict");
    const headers = { "content-type": "text/markdown", ...publisher.bearer };
    for (const body of ["# Ours\n", "# Ours again\n"]) {
      expect((await request("/v1/bundles/sample/1.0.0/card", { method: "PUT", body, headers })).status).toBe(204);
      expect(await (await request("/v1/bundles/sample/1.0.0/files/card.md")).text()).toBe(body);
    }
  });

  test("are taken back like others, and come back", async () => {
    const request = start();
    const yank = (body: object) =>
      request("/v1/bundles/sample/1.0.0/yank", {
        method: "PUT",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...publisher.bearer },
      });
    expect((await yank({ yanked: true, reason: "not here" })).status).toBe(200);
    expect(await versions(start())).toMatchObject({ benchmarks: [{ latest: null, versions: [] }] });
    await yank({ yanked: false });
    expect(await versions(start())).toMatchObject({ benchmarks: [{ latest: "1.0.0" }] });
  });

  test("go with the deployment: a version that it has no more isn't listed, though the index in the bucket had it", async () => {
    await publishOverHttp(start(), sampleBundle({ version: "1.1.0" }), publisher.bearer);
    const bare: ShippedFiles = {
      fetch: () => Promise.resolve(Response.json({ objects: {}, versions: { sample: [{ version: "0.1.0", digest: "sha256:0", created: "", yanked: false }] } })), // prettier-ignore
    };
    const listed = { benchmarks: [{ latest: "1.1.0", versions: [{ version: "1.1.0" }] }] };
    expect(await versions(start({ SHIPPED: bare }))).toMatchObject(listed);
  });

  test("aren't offered where signatures are demanded", async () => {
    const request = start({ TRUSTED_KEYS: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" });
    expect(await versions(request)).toEqual({ benchmarks: [] });
  });

  test.each<[string, ShippedFiles["fetch"]]>([
    ["fail", () => Promise.reject(new Error("internal details"))],
    ["aren't there", () => Promise.resolve(new Response("", { status: 404 }))],
  ])("static files that %s: 503, nothing of it shown, and right at the next request", async (_, fetch) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const SHIPPED = staticFiles();
    const request = start({ SHIPPED: { fetch: (url) => (broken ? fetch(url) : SHIPPED.fetch(url)) } });
    let broken = true;
    const problem = await problemOf(await request(ESTIMATES, answers));
    expect([problem.status, problem.detail]).toEqual([503, expect.not.stringContaining("internal details")]);
    broken = false;
    expect((await request(ESTIMATES, answers)).status).toBe(200);
  });

  test("the deployment's own binding is read", async () => {
    const { SHIPPED } = env as unknown as { SHIPPED: ShippedFiles };
    const request = startApp({}, { SHIPPED });
    const { benchmarks } = await (await request("/v1/bundles")).json<{ benchmarks: { benchmark: string }[] }>();
    expect(benchmarks.map(({ benchmark }) => benchmark)).toContain("gsm8k");
    const manifest = await (await request("/v1/bundles/gsm8k/1.0.0")).json<{ benchmark: string }>();
    expect(manifest.benchmark).toBe("gsm8k");
  });
});
