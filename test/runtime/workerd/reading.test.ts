import { reset } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { createClient, loadBundle } from "anchoreval";
import { indexKey } from "anchoreval/internal/core/bundle/names";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { problemOf, publishSample, startApp } from "./support/worker.ts";

const files = sampleBundle({ report: true });
let digest = "";
beforeEach(async () => {
  ({ digest } = await publishSample({ report: true }));
});
afterEach(() => reset());

describe("lists", () => {
  test("benchmarks with their versions, ascending, latest = the highest stable one", async () => {
    for (const version of ["1.10.0", "1.9.0", "2.0.0-rc.1"]) await publishSample({ version });
    await publishSample({ benchmark: "other" });
    const response = await startApp()("/v1/bundles");
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    const { benchmarks }: { benchmarks: { benchmark: string; latest: string; versions: { version: string }[] }[] } =
      await response.json();
    expect(benchmarks.map(({ benchmark }) => benchmark)).toEqual(["other", "sample"]);
    expect(benchmarks[1]!.latest).toBe("1.10.0");
    expect(benchmarks[1]!.versions.map(({ version }) => version)).toEqual(["1.0.0", "1.9.0", "1.10.0", "2.0.0-rc.1"]);
  });

  test("one benchmark", async () => {
    const response = await startApp()("/v1/bundles/sample");
    expect(await response.json()).toEqual({
      benchmark: "sample",
      latest: "1.0.0",
      log: { entries: 1, head: expect.stringMatching(/^sha256:/) as string },
      versions: [{ version: "1.0.0", digest }],
      yanked: [],
    });
  });

  test("nothing, where nothing is published", async () => {
    await reset();
    expect(await (await startApp()("/v1/bundles")).json()).toEqual({ benchmarks: [] });
    expect((await problemOf(await startApp()("/v1/bundles/sample"))).code).toBe("not_found");
  });

  test.each(["gone", "damaged"])("from the manifests, where the index is %s", async (state) => {
    await publishSample({ version: "1.1.0" });
    if (state === "gone") await env.BUNDLES.delete(indexKey("sample"));
    else await env.BUNDLES.put(indexKey("sample"), '{"benchmark":"sample","versions":[');
    const summary: { latest: string; versions: object[] } = await (await startApp()("/v1/bundles/sample")).json();
    expect(summary.latest).toBe("1.1.0");
    expect(summary.versions[0]).toEqual({ version: "1.0.0", digest });
  });

  test("no yanked version, which still answers by its number", async () => {
    await publishSample({ version: "1.1.0" });
    const index = await (await env.BUNDLES.get(indexKey("sample")))!.json<{
      latest: string;
      versions: { yanked: boolean }[];
    }>();
    index.latest = "1.0.0";
    index.versions[1]!.yanked = true;
    await env.BUNDLES.put(indexKey("sample"), JSON.stringify(index));
    const request = startApp();
    expect(await (await request("/v1/bundles/sample")).json()).toMatchObject({ versions: [{ version: "1.0.0" }] });
    expect((await request("/v1/bundles/sample/1.1.0")).status).toBe(200);
  });
});

describe("the manifest", () => {
  test("is byte for byte as published, for good, with the digest as its ETag", async () => {
    const response = await startApp()("/v1/bundles/sample/1.0.0");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(files.get("manifest.json"));
    expect(response.headers.get("etag")).toBe(`"${digest}"`);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  test("is the same among the files", async () => {
    const response = await startApp()("/v1/bundles/sample/1.0.0/files/manifest.json");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(files.get("manifest.json"));
  });

  test.each([
    "/v1/bundles/sample/1.0.1",
    "/v1/bundles/sampel/1.0.0",
    "/v1/bundles/sample/1.0",
    "/v1/bundles/Sample/1.0.0",
  ])("of %s isn't there", async (path) => {
    const problem = await problemOf(await startApp()(path));
    expect(problem).toMatchObject({ status: 404, code: "not_found", instance: path });
  });
});

describe("latest", () => {
  test("redirects GET to its number, the rest of the path and the query kept, for a minute", async () => {
    await publishSample({ version: "1.2.0" });
    await publishSample({ version: "2.0.0-rc.1" });
    const request = startApp();
    for (const rest of ["", "/anchors?form=8", "/files/items.jsonl"]) {
      const response = await request(`/v1/bundles/sample/latest${rest}`);
      expect(response.status).toBe(307);
      expect(response.headers.get("location")).toBe(`/v1/bundles/sample/1.2.0${rest}`);
      expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    }
  });

  test("works where the benchmark itself has this name", async () => {
    await publishSample({ benchmark: "latest" });
    const response = await startApp()("/v1/bundles/latest/latest/anchors");
    expect(response.headers.get("location")).toBe("/v1/bundles/latest/1.0.0/anchors");
  });

  test("isn't there without a stable version", async () => {
    await publishSample({ benchmark: "young", version: "0.1.0-alpha" });
    for (const path of ["/v1/bundles/young/latest", "/v1/bundles/nobody/latest", "/v1/bundles/..%2fx/latest"])
      expect((await problemOf(await startApp()(path))).status).toBe(404);
  });

  test("lags at most a minute behind a publication", async () => {
    let now = 0;
    const request = startApp({ now: () => now });
    const location = async (): Promise<string | null> =>
      (await request("/v1/bundles/sample/latest")).headers.get("location");
    expect(await location()).toBe("/v1/bundles/sample/1.0.0");
    await publishSample({ version: "1.1.0" });
    now = 59_000;
    expect(await location()).toBe("/v1/bundles/sample/1.0.0");
    now = 60_000;
    expect(await location()).toBe("/v1/bundles/sample/1.1.0");
  });
});

describe("anchors", () => {
  test("of a form, in the order in which they are asked", async () => {
    const bundle = await loadBundle({ name: "sample", read: (file) => Promise.resolve(files.get(file) ?? null) });
    const client = createClient({
      baseUrl: "http://localhost",
      fetch: (input, init) => startApp()(new URL(input as string).pathname + new URL(input as string).search, init),
    });
    const {
      form,
      digest: formDigest,
      anchors,
    } = await client.bundles.anchors({ benchmark: "sample", version: "1.0.0" }, "8");
    expect(form).toBe("8");
    expect(formDigest).toBe(bundle.manifest.forms[0]!.digest);
    expect(anchors).toEqual(
      [...bundle.scenarios.values()].flatMap((scenario) =>
        [...scenario.anchors.values()].filter((anchor) => anchor.forms.includes("8")),
      ),
    );
  });

  test("of the default form, where none is named", async () => {
    const response = await startApp()("/v1/bundles/sample/1.0.0/anchors");
    const { form, anchors }: { form: string; anchors: object[] } = await response.json();
    expect([form, anchors.length]).toEqual(["20", 40]);
    expect(response.headers.get("cache-control")).toContain("immutable");
  });

  test("of a form that isn't there", async () => {
    const problem = await problemOf(await startApp()("/v1/bundles/sample/1.0.0/anchors?form=9"));
    expect(problem).toMatchObject({ status: 422, code: "unknown_form" });
    expect(problem.detail).toContain("8, 20");
  });
});

describe("files", () => {
  const at = (name: string): string => `/v1/bundles/sample/1.0.0/files/${name}`;
  const parameters = files.get("parameters.safetensors")!;

  test.each([...files].map(([name, bytes]) => ({ name, bytes })))("$name is whole", async ({ name, bytes }) => {
    const response = await startApp()(at(name));
    expect(response.status).toBe(200);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("accept-ranges")).toBe("bytes");
    expect(response.headers.get("cache-control")).toContain("immutable");
  });

  test("the report may run its scripts, and reach nothing", async () => {
    const policy = (await startApp()(at("report.html"))).headers.get("content-security-policy")!;
    expect(policy).toContain("sandbox allow-scripts;");
    expect(policy).not.toContain("allow-same-origin");
    expect(policy).toContain("default-src 'none'");
  });

  const size = parameters.length;
  const ranges: [string, number, number][] = [
    ["bytes=0-0", 0, 1],
    ["bytes=100-199", 100, 200],
    [`bytes=${size - 5}-`, size - 5, size],
    ["bytes=-7", size - 7, size],
    [`bytes=${size - 2}-${size + 50}`, size - 2, size],
    [`bytes=-${size + 50}`, 0, size],
  ];
  test.each(ranges)("the range %s", async (range, begin, end) => {
    const response = await startApp()(at("parameters.safetensors"), { headers: { range } });
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(`bytes ${begin}-${end - 1}/${size}`);
    expect(response.headers.get("content-length")).toBe(String(end - begin));
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(parameters.slice(begin, end));
  });

  test("a range of the manifest too", async () => {
    const response = await startApp()(at("manifest.json"), { headers: { range: "bytes=2-5" } });
    expect([response.status, await response.text()]).toEqual([206, "chec"]);
  });

  test.each([`bytes=${size}-`, `bytes=${size + 3}-${size + 9}`, "bytes=-0"])("no range %s", async (range) => {
    const response = await startApp()(at("parameters.safetensors"), { headers: { range } });
    expect(response.headers.get("content-range")).toBe(`bytes */${size}`);
    expect(await problemOf(response)).toMatchObject({ status: 416, code: "range_not_satisfiable" });
  });

  test.each(["items=0-1", "bytes=5-2", "bytes=0-1,4-5", "bytes=-", "bytes=a-b"])(
    "%s is no range: all",
    async (range) => {
      const response = await startApp()(at("parameters.safetensors"), { headers: { range } });
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBe(size);
    },
  );

  test("a range of another content is answered with all of this one (If-Range)", async () => {
    const request = startApp();
    const { headers } = await request(at("parameters.safetensors"), { method: "HEAD" });
    const get = async (ifRange: string): Promise<number> =>
      (await request(at("parameters.safetensors"), { headers: { range: "bytes=0-3", "if-range": ifRange } })).status;
    expect(await get(headers.get("etag")!)).toBe(206);
    expect(await get('"sha256:00"')).toBe(200);
  });

  test("304 for the content that the caller has", async () => {
    const request = startApp();
    const etag = (await request(at("items.jsonl"))).headers.get("etag")!;
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const response = await request(at("items.jsonl"), { headers: { "if-none-match": given } });
      expect([response.status, await response.text(), response.headers.get("etag")]).toEqual([304, "", etag]);
    }
    expect((await request(at("items.jsonl"), { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  test("HEAD tells the size and sends nothing", async () => {
    const response = await startApp()(at("parameters.safetensors"), { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(size));
    expect(await response.text()).toBe("");
  });

  test.each(["secrets.txt", "..%2f..%2findex.json", "%2e%2e", "manifest.json%00", "blobs", "PARAMETERS.SAFETENSORS"])(
    "%s is none",
    async (name) => {
      expect(await problemOf(await startApp()(at(name)))).toMatchObject({ status: 404, code: "not_found" });
    },
  );

  test("the bundle has no report: 404", async () => {
    await publishSample({ version: "1.1.0" });
    const problem = await problemOf(await startApp()("/v1/bundles/sample/1.1.0/files/report.html"));
    expect(problem).toMatchObject({ status: 404, detail: "sample@1.1.0 has no report.html" });
  });
});

test("the deployed Worker is this app", async () => {
  const response = await exports.default.fetch(new Request("http://localhost/healthz"));
  expect(await response.json()).toEqual({ status: "ok" });
});
