import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { createClient, httpSource, loadBundle } from "anchoreval";
import { parseManifest, type BundleFileName } from "anchoreval/bundle";
import { afterEach, describe, expect, test, vi } from "vitest";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { signingKey } from "../../support/signing-key.ts";
import { flipped, withFile, type BundleFiles } from "../../support/tamper.ts";
import { WHOLE } from "../../support/whole.ts";

const files = sampleBundle();
const running: Server[] = [];

afterEach(async () => {
  await Promise.all(
    running.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface Asked {
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
  readonly response: ServerResponse;
}

/**
 * A real server on this machine.
 * @param yank - answers whether a version is yanked, which is asked beside the manifest; by 404 unless given
 * @returns its base URL, the requests that it got, and apart from them those for whether a version is yanked
 */
async function serve(
  handler: Handler,
  { yank = (_, response) => void response.writeHead(404).end() }: { yank?: Handler } = {},
): Promise<{ url: string; requests: Asked[]; yanks: Asked[] }> {
  const requests: Asked[] = [];
  const yanks: Asked[] = [];
  const server = createServer((request, response) => {
    const path = request.url!;
    const { range, authorization } = request.headers;
    const isYank = /\/yanked\.json$|^\/v1\/bundles\/[^/]+$/.test(path);
    (isYank ? yanks : requests).push({ path, range, authorization, response });
    (isYank ? yank : handler)(request, response);
  });
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, yanks };
}

/** Serves the files of a bundle from any folder, as a static host does. */
function staticHost({ from = files, ranges = true }: { from?: BundleFiles; ranges?: boolean } = {}): Handler {
  return (request, response) => {
    const content = from.get(request.url!.split("/").at(-1) as BundleFileName);
    if (!content) return void response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not found</h1>");
    const range = ranges ? /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") : null;
    if (!range) return void response.writeHead(200).end(content);
    const begin = Number(range[1]);
    const end = Number(range[2]) + 1;
    response.writeHead(206, { "content-range": `bytes ${begin}-${end - 1}/${content.length}` });
    response.end(content.subarray(begin, end));
  };
}

describe("a bundle over HTTP", () => {
  test("from a host that sends every file to another address, ranges too, as dataset hubs do", async () => {
    const store = await serve(staticHost());
    const hub = await serve((request, response) => {
      response.writeHead(302, { location: `${store.url}/cdn${request.url!}` }).end();
    });
    const bundle = await loadBundle(`${hub.url}/datasets/org/name/resolve/main/bundles/sample/1.0.0`, {
      scenarios: ["alpha"],
    });
    expect([...bundle.scenarios.keys()]).toEqual(["alpha"]);
    expect(store.requests.some(({ range }) => range !== undefined)).toBe(true);
  });

  test("from a static folder, with or without a slash at its end", async () => {
    const { url, requests, yanks } = await serve(staticHost());
    for (const address of [`${url}/out/sample`, `${url}/out/sample/`, new URL(`${url}/out/sample?x=1#y`)]) {
      const bundle = await loadBundle(address);
      expect([...bundle.scenarios.keys()]).toEqual(["alpha", "beta/γ"]);
    }
    expect(new Set(requests.map(({ path }) => path))).toEqual(
      new Set(["manifest.json", "parameters.safetensors", "anchors.jsonl"].map((name) => `/out/sample/${name}`)),
    );
    expect(yanks.map(({ path }) => path)).toEqual(Array.from({ length: 3 }, () => "/out/sample/yanked.json"));
  });

  test.each([
    ["/v1/bundles/sample/2.0.0", "another version's"],
    ["/v1/bundles/other/1.0.0", "another benchmark's"],
    ["/v1/bundles/other/latest", "another benchmark's latest"],
    ["/datasets/ORG/NAME/resolve/main/bundles/other/1.0.0/", "another one's in a repository"],
  ])("at %s, where %s lies, is refused, signed by a trusted key or not", async (path) => {
    const key = await signingKey();
    const signature = ["manifest.sig" as BundleFileName, await key.file(files.get("manifest.json")!)] as const;
    const signed = new Map([...files, signature]);
    const { url } = await serve(staticHost({ from: signed }));
    await expect(loadBundle(`${url}/bundles/sample/latest`, { trustedKeys: [key.key] })).resolves.toBeDefined();
    for (const options of [{}, { trustedKeys: [key.key] }])
      expectRefusal(
        await rejection(loadBundle(url + path, options)),
        "bundle_mismatch",
        "has the manifest of sample@1.0.0, another bundle than its address names",
      );
  });

  test("pinned by the digest at the end of its address", async () => {
    const { url } = await serve(staticHost());
    const { digest } = await loadBundle(`${url}/sample`);
    expect((await loadBundle(`${url}/sample#${digest}`)).digest).toBe(digest);
    const other = `sha256:${"0".repeat(64)}`;
    expectRefusal(await rejection(loadBundle(`${url}/sample#${other}`)), "digest_mismatch", `expected ${other}`);
    expectRefusal(await rejection(loadBundle(`${url}/sample#sha256:abc`)), "invalid_option", "is no digest");
  });

  test("from a Worker's address, under /files", async () => {
    const { url, requests } = await serve(staticHost());
    await loadBundle(`${url}/v1/bundles/sample/1.0.0`);
    expect(requests[0]!.path).toBe("/v1/bundles/sample/1.0.0/files/manifest.json");
  });

  test("asks for byte ranges, and checks what it gets", async () => {
    const { url, requests } = await serve(staticHost());
    const bundle = await loadBundle(url, { scenarios: ["beta/γ"] });
    expect([...bundle.scenarios.keys()]).toEqual(["beta/γ"]);
    expect(requests[0]!.range).toBeUndefined();
    // HTTP's ranges include their last byte.
    const { files: described } = parseManifest(files.get("manifest.json")!);
    const segments = described.flatMap(({ segments: all = [] }) => all.filter(({ scenario }) => scenario !== "alpha"));
    expect(requests.flatMap(({ range }) => range ?? []).sort()).toEqual(
      segments.map(({ begin, end }) => `bytes=${begin}-${end - 1}`).sort(),
    );
  });

  test.each([true, false])("with bytes appended to a file is damage, ranges %s", async (ranges) => {
    for (const name of ["parameters.safetensors", "anchors.jsonl"] as const) {
      const from = withFile(files, name, new Uint8Array([...files.get(name)!, 10]));
      const { url } = await serve(staticHost({ from, ranges }));
      for (const scenarios of [["alpha"], ["alpha", "beta/γ"]])
        expectRefusal(
          await rejection(loadBundle(url, { scenarios })),
          "bundle_corrupt",
          ` bytes, the manifest states ${files.get(name)!.length}; copy or publish the bundle again`,
        );
    }
  });

  test.each([
    ["manifest", "manifest.json", "at most 16777216 are read"],
    ["file", "parameters.safetensors", `the manifest states ${files.get("parameters.safetensors")!.length}`],
  ])("an endless %s is cut off", async (_, name, bound) => {
    let sent = 0;
    const { url } = await serve((request, response) => {
      if (!request.url!.endsWith(name)) {
        staticHost()(request, response);
        return;
      }
      const chunk = Buffer.alloc(1 << 16, " ");
      const more = (): void => {
        while (!response.destroyed && sent < 1 << 28) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
      };
      more();
    });
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 5);
    const error = await rejection(loadBundle(url));
    clearInterval(watch);
    expectRefusal(error, "bundle_corrupt", bound);
    expect(sent).toBeLessThan(1 << 26);
    expect(most).toBeLessThan(100e6);
  });

  describe.each([
    ["a static host", "/out/sample", "/out/sample/yanked.json", { yanked: true, reason: "wrong keys" }],
    [
      "a Worker",
      "/v1/bundles/sample/1.0.0",
      "/v1/bundles/sample",
      { benchmark: "sample", yanked: [{ version: "1.0.0", reason: "wrong keys" }] },
    ],
  ])("of %s: whether the version is yanked", (_, place, path, words) => {
    test("is asked once", async () => {
      const { url, yanks } = await serve(staticHost(), {
        yank: (_, response) => void response.writeHead(200).end(JSON.stringify(words)),
      });
      expect((await loadBundle(url + place)).yanked).toBe("wrong keys");
      expect(yanks.map((asked) => asked.path)).toEqual([path]);
    });

    test.each<[string, Handler]>([
      ["404", (_, response) => void response.writeHead(404).end()],
      ["500", (_, response) => void response.writeHead(500).end("oops")],
      ["a page of its own", (_, response) => void response.writeHead(200).end("<h1>Hello</h1>")],
      ["a connection cut off", (request) => void request.socket.destroy()],
    ])("is asked once, too, where the answer is %s, and stops nobody", async (_, yank) => {
      const { url, yanks } = await serve(staticHost(), { yank });
      const bundle = await loadBundle(url + place);
      expect([...bundle.scenarios.keys()]).toEqual(["alpha", "beta/γ"]);
      expect(bundle.yanked).toBeUndefined();
      expect(yanks.map((asked) => asked.path)).toEqual([path]);
    });

    test("is asked in vain of a silent host no longer than a request may take", async () => {
      const { url, yanks } = await serve(staticHost(), { yank: () => undefined });
      const begin = performance.now();
      expect((await loadBundle(httpSource(url + place, { timeout: 300 }))).yanked).toBeUndefined();
      expect(performance.now() - begin).toBeLessThan(2500);
      expect(yanks).toHaveLength(1);
    });
  });

  test.skipIf(!WHOLE)(
    "whether the version is yanked is asked in vain of a silent host for 3 seconds, no longer",
    async () => {
      const { url, yanks } = await serve(staticHost(), { yank: () => undefined });
      const begin = performance.now();
      expect((await loadBundle(`${url}/out/sample`)).yanked).toBeUndefined();
      expect(performance.now() - begin).toBeLessThan(8000); // the time-out of files is 10 s
      expect(yanks).toHaveLength(1);
    },
  );

  test("whether the latest version is yanked isn't asked of a Worker: it never is", async () => {
    const { url, requests, yanks } = await serve(staticHost());
    await loadBundle(`${url}/v1/bundles/sample/latest`);
    expect(requests[0]!.path).toBe("/v1/bundles/sample/latest/files/manifest.json");
    expect(yanks).toEqual([]);
  });

  test("from a host without ranges, read whole", async () => {
    const { url, requests } = await serve(staticHost({ ranges: false }));
    const bundle = await loadBundle(url, { scenarios: ["beta/γ"] });
    expect([...bundle.scenarios.keys()]).toEqual(["beta/γ"]);
    expect(requests.some(({ range }) => range !== undefined)).toBe(true);
  });

  test("from a host that compresses", async () => {
    const { url } = await serve((request, response) => {
      const content = files.get(request.url!.slice(1) as BundleFileName)!;
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(content));
    });
    await expect(loadBundle(url, { scenarios: ["alpha"] })).resolves.toBeDefined();
  });

  test("a host that mixes up ranges is caught by the digests", async () => {
    const { url } = await serve((request, response) => {
      const content = files.get(request.url!.slice(1) as BundleFileName)!;
      // Off by one: a classic with ranges, whose ends are inclusive.
      const [, begin, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      if (begin === undefined) response.writeHead(200).end(content);
      else response.writeHead(206).end(content.subarray(Number(begin), Number(end)));
    });
    expectRefusal(await rejection(loadBundle(url, { scenarios: ["beta/γ"] })), "bundle_corrupt", "bytes");
  });

  test("damage on the way is named with the address", async () => {
    const from = withFile(files, "anchors.jsonl", flipped(files.get("anchors.jsonl")!, 20));
    const { url } = await serve(staticHost({ from }));
    expectRefusal(await rejection(loadBundle(url)), "bundle_corrupt", `${url}: anchors.jsonl is damaged`);
  });
});

describe("failures", () => {
  test("404 is not_found, and a file that is missing is damage", async () => {
    const { url } = await serve(staticHost({ from: new Map() }));
    expectRefusal(await rejection(loadBundle(`${url}/nothing`)), "not_found", "/nothing has no manifest.json");
    const rest = new Map([...files].filter(([name]) => name !== "anchors.jsonl"));
    const { url: half } = await serve(staticHost({ from: rest }));
    expectRefusal(await rejection(loadBundle(half)), "bundle_corrupt", "anchors.jsonl is missing");
  });

  test("500 then 200 is an answer", async () => {
    let failures = 2;
    const host = staticHost();
    const { url, requests } = await serve((request, response) => {
      if (failures-- > 0) response.writeHead(500).end("oops");
      else host(request, response);
    });
    await expect(loadBundle(httpSource(url))).resolves.toBeDefined();
    expect(requests.filter(({ path }) => path === "/manifest.json")).toHaveLength(3);
  });

  test("500 for good is unavailable, with the server's words", async () => {
    const { url, requests, yanks } = await serve((_, response) => void response.writeHead(500).end("the disk is full"));
    const error = await rejection(loadBundle(httpSource(url, { maxRetries: 1 })));
    expectRefusal(error, "unavailable", "500: the disk is full (2 attempts)");
    expect(requests).toHaveLength(2);
    expect(yanks).toHaveLength(1);
  });

  test("Retry-After is obeyed", async () => {
    const at: number[] = [];
    const host = staticHost();
    const { url } = await serve((request, response) => {
      at.push(performance.now());
      if (at.length === 1) response.writeHead(429, { "retry-after": "1" }).end();
      else host(request, response);
    });
    await loadBundle(url);
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(990); // timers may fire a little early
  });

  test("a silent server is given up after the time-out, named in the message", async () => {
    const { url, requests, yanks } = await serve(() => undefined);
    const error = await rejection(loadBundle(httpSource(url, { timeout: 100, maxRetries: 1 })));
    expectRefusal(error, "unavailable", "no answer within 100 ms (2 attempts)");
    expect(requests).toHaveLength(2);
    expect(yanks).toHaveLength(1);
  });

  test("so is one that stops in the middle", async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { "content-length": "1000000" });
      response.write("{");
    });
    const error = await rejection(loadBundle(httpSource(url, { timeout: 100, maxRetries: 0 })));
    expectRefusal(error, "unavailable", "no answer within 100 ms (1 attempts)");
  });

  test("a connection cut off in the middle is tried again", async () => {
    const host = staticHost();
    let cuts = 1;
    const { url } = await serve((request, response) => {
      if (cuts-- > 0) {
        response.writeHead(200, { "content-length": "1000" });
        response.write("{", () => request.socket.destroy());
      } else host(request, response);
    });
    await expect(loadBundle(url)).resolves.toBeDefined();
  });

  test("nobody listening is unavailable", async () => {
    const { url } = await serve(() => undefined);
    const server = running.pop()!;
    await new Promise((resolve) => server.close(resolve));
    expectRefusal(await rejection(loadBundle(httpSource(url, { maxRetries: 0 }))), "unavailable", "(1 attempts)");
  });

  test("the caller's abort ends it, and isn't tried again", async () => {
    const { url, requests, yanks } = await serve(() => undefined, { yank: () => undefined });
    const controller = new AbortController();
    const loading = rejection(loadBundle(url, { signal: controller.signal }));
    await vi.waitFor(() => expect([requests.length, yanks.length]).toEqual([1, 1]));
    const begin = performance.now();
    controller.abort();
    expectRefusal(await loading, "aborted", "aborted by the caller");
    // Whether it is yanked would be waited for for 3 s, the manifest for 10 s.
    await vi.waitFor(() =>
      expect([...requests, ...yanks].map(({ response }) => response.destroyed)).toEqual([true, true]),
    );
    expect(performance.now() - begin).toBeLessThan(2500);
    expect(requests).toHaveLength(1);
    expect(yanks).toHaveLength(1);
  });

  test("401 is refused at once, with the problem's words", async () => {
    const { url, requests, yanks } = await serve(
      (_, response) =>
        void response.writeHead(401).end(JSON.stringify({ title: "Unauthorized", detail: "a token is needed" })),
    );
    expectRefusal(await rejection(loadBundle(url)), "request_refused", "401: a token is needed");
    expect(requests).toHaveLength(1);
    expect(yanks).toHaveLength(1);
  });
});

test("headers of the policy are sent with every request", async () => {
  const { url, requests, yanks } = await serve(staticHost());
  await loadBundle(httpSource(url, { headers: { authorization: "Bearer t" } }));
  expect(requests.map(({ authorization }) => authorization)).toEqual(["Bearer t", "Bearer t", "Bearer t"]);
  expect(yanks.map(({ authorization }) => authorization)).toEqual(["Bearer t"]);
});

test("the client posts JSON to a real server and reads its answer", async () => {
  const { url } = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ echo: body, path: request.url, type: request.headers["content-type"] }));
    });
  });
  const answer = await createClient({ baseUrl: url }).estimate(
    { benchmark: "sample", version: "latest" },
    { responses: { "größe/1": 1 } },
  );
  expect(answer).toEqual({
    echo: { responses: { "größe/1": 1 } },
    path: "/v1/bundles/sample/latest/estimates",
    type: "application/json",
  });
});
