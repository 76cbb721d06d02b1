import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createClient, estimateFromAnchors, loadBundle } from "anchoreval";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { startLocalWorker, type LocalWorker, type LocalWorkerOptions } from "anchoreval-trainer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildWorker } from "../../support/built-worker.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { expectSameNumbers } from "../../support/same-numbers.ts";
import { WHOLE } from "../../support/whole.ts";

const REF = { benchmark: "sample", version: "1.0.0" };
const responses = sampleAnswers("20");
let persist = "";
let worker: LocalWorker;

beforeAll(async () => {
  await buildWorker();
  persist = await mkdtemp(join(tmpdir(), "anchoreval-"));
  worker = await startLocalWorker({ port: 0, persist });
  await publishBundle(r2Store(await worker.bucket()), sampleBundle({ report: true }));
}, 60_000);
afterAll(async () => {
  await worker.dispose();
  await rm(persist, { recursive: true });
});

test("one request gives the same numbers in Node and over HTTP", async () => {
  const bundle = await loadBundle(memorySource(sampleBundle({ report: true })));
  const client = createClient({ baseUrl: worker.url });
  expectSameNumbers(await client.estimate(REF, { responses }), estimateFromAnchors(bundle, responses), 1e-9);
});

test("batches and jobs give the same numbers too", async () => {
  const client = createClient({ baseUrl: worker.url });
  const single = await client.estimate(REF, { responses });
  const requests = Array.from({ length: 5 }, (_, k) => ({ model: `m${k}`, responses }));
  const job = await client.jobs.submit(REF, [...requests, ...requests]);
  for await (const line of client.estimateLines(REF, requests))
    expect(line).toEqual({ index: line.index, model: `m${line.index}`, estimate: single });
  const done = await client.jobs.wait(job, { interval: 50, signal: AbortSignal.timeout(20_000) });
  expect(done).toMatchObject({ state: "done", models: 10, results: 10 });
  const indices: number[] = [];
  for await (const line of client.jobs.results(done)) {
    indices.push(line.index);
    expect(line).toMatchObject({ model: `m${line.index % 5}`, estimate: single });
  }
  expect(indices).toEqual(Array.from({ length: 10 }, (_, k) => k));
});

test("a bundle that is loaded from the Worker is the one that was published", async () => {
  const bundle = await loadBundle(`${worker.url}/v1/bundles/sample/latest`, { scenarios: ["beta/γ"] });
  expect([...bundle.scenarios.keys()]).toEqual(["beta/γ"]);
  expect(bundle.digest).toBe((await createClient({ baseUrl: worker.url }).bundles.list())[0]!.versions[0]!.digest);
});

test("HEAD tells the length on the wire", async () => {
  const url = `${worker.url}/v1/bundles/sample/1.0.0/files/parameters.safetensors`;
  const { headers } = await fetch(url, { method: "HEAD" });
  expect(headers.get("content-length")).toBe(String(sampleBundle().get("parameters.safetensors")!.length));
});

test("a request that is cut off doesn't keep the next ones waiting", async () => {
  await publishBundle(r2Store(await worker.bucket()), sampleBundle({ version: "1.1.0" }));
  const body = JSON.stringify({ responses });
  const { port } = new URL(worker.url);
  const socket = connect(Number(port), "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const head = `POST /v1/bundles/sample/1.1.0/estimates HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
  await new Promise((resolve) =>
    socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, resolve),
  );
  socket.destroy();
  const client = createClient({ baseUrl: worker.url, timeout: 3000, maxRetries: 0 });
  const estimate = await client.estimate({ ...REF, version: "1.1.0" }, { responses });
  expect(estimate.version).toBe("1.1.0");
});

describe("a request as few send it", () => {
  /** What comes back on a connection, until it is closed or still. */
  const raw = async (text: string): Promise<string> => {
    const socket = connect(Number(new URL(worker.url).port), "127.0.0.1");
    let said = "";
    socket.on("data", (chunk: Buffer) => (said += chunk.toString("latin1")));
    socket.on("error", () => undefined);
    socket.write(text);
    await once(socket, "close");
    return said;
  };
  const headers = "host: localhost\r\nconnection: close\r\n";

  test.each(["localhost", "127.0.0.1:1", "user@localhost"])("in absolute form, as to a proxy: of %s", async (host) => {
    for (const path of ["/healthz", "/v1/bundles", "/v1/bundles/sample/1.0.0/anchors?form=20"]) {
      const absolute = await raw(`GET http://${host}${path} HTTP/1.1\r\n${headers}\r\n`);
      expect(absolute).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      const usual = await (await fetch(worker.url + path)).arrayBuffer();
      expect(absolute.split("\r\n\r\n")[1]).toBe(Buffer.from(usual).toString("latin1"));
    }
  });

  test("in absolute form with a body, and after it another on the same connection", async () => {
    const body = JSON.stringify({ responses });
    const head = `POST ${worker.url}/v1/bundles/sample/1.0.0/estimates HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    const said = await raw(`${head}\r\n${body}${head}connection: close\r\n\r\n${body}`);
    expect(said.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  test("in absolute form by a name that leads here: refused as ever", async () => {
    expect(await raw(`GET http://evil.example/v1/bundles HTTP/1.1\r\n${headers}\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test.each(["x", "-1", "1e3", "0x2", "", "2, 3", "2\r\ncontent-length: 3", "1 2"])(
    "a Content-Length of %j is 400",
    async (length) => {
      for (const line of ["POST /v1/bundles/sample/1.0.0/estimates", "GET /v1/bundles", `GET ${worker.url}/healthz`]) {
        const said = await raw(
          `${line} HTTP/1.1\r\n${headers}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n{}`,
        );
        expect(said).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/);
        expect(JSON.parse(said.split("\r\n\r\n")[1]!)).toMatchObject({ status: 400, code: "malformed_request" });
      }
    },
  );
});

test("an ETag is of the bytes that are sent: weak where they are compressed", async () => {
  const at = `${worker.url}/v1/bundles/sample/1.0.0`;
  const ask = async (encoding: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(at, { headers: { "accept-encoding": encoding, ...more } });
  const plain = await ask("identity");
  const strong = plain.headers.get("etag")!;
  expect(strong).toMatch(/^"sha256:[0-9a-f]{64}"$/);
  expect(plain.headers.get("content-encoding")).toBeNull();
  for (const encoding of ["gzip", "br", "gzip, br"]) {
    const { headers, status } = await ask(encoding);
    expect({ status, encoded: headers.get("content-encoding") !== null }).toEqual({ status: 200, encoded: true });
    expect(headers.get("etag")).toBe(`W/${strong}`);
    expect(headers.get("vary")).toContain("Accept-Encoding");
    expect((await ask(encoding, { "if-none-match": `W/${strong}` })).status).toBe(304);
  }
});

describe("/docs", () => {
  test("comes from the Worker's own files, and asks nobody else", async () => {
    const page = await fetch(`${worker.url}/docs`);
    expect(page.status).toBe(200);
    const html = await page.text();
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
    expect(files).toContain("swagger-ui-bundle.js");
    expect(files.filter((file) => file.includes("//"))).toEqual([]);
    for (const file of files) expect((await fetch(new URL(file, page.url))).status, file).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  });
});

describe("who may ask", () => {
  /** Status, code and CORS of an answer; Node's fetch lets nobody choose Host or Origin. */
  function ask(url: string, headers: Record<string, string>, method = "GET", path = "/v1/bundles") {
    return new Promise<{ status: number; code: string | undefined; cors: string | undefined }>((resolve, reject) => {
      const asked = request(`${url}${path}`, { method, headers }, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.once("end", () =>
          resolve({
            status: response.statusCode!,
            code: response.statusCode === 403 ? (JSON.parse(text) as { code: string }).code : undefined,
            cors: response.headers["access-control-allow-origin"],
          }),
        );
      });
      asked.once("error", reject);
      asked.end(method === "POST" ? JSON.stringify({ responses }) : undefined);
    });
  }
  const read = { status: 200, code: undefined, cors: undefined };
  const refused = { status: 403, code: "forbidden", cors: undefined };
  const NAMED = "https://evals.example.com";
  const DEV = "http://localhost:5173";
  let named: LocalWorker;
  beforeAll(async () => {
    named = await startLocalWorker({ port: 0, persist: `${persist}-named`, origins: [NAMED, DEV] });
  });
  afterAll(async () => {
    await named.dispose();
    await rm(`${persist}-named`, { recursive: true });
  });

  test.each(["localhost", "127.0.0.1", "[::1]", "LOCALHOST:1"])("whoever calls it %s", async (host) => {
    expect(await ask(worker.url, { host })).toEqual(read);
  });

  test.each(["/v1/bundles", "/", "/docs/", "/healthz", "/v1/bundles/sample/1.0.0/files/parameters.safetensors"])(
    "nobody who calls it by a name that leads here (DNS rebinding): %s",
    async (path) => {
      for (const host of [
        "evil.example",
        "evil.example:8787",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "10.0.0.1",
      ])
        expect(await ask(worker.url, { host }, "GET", path), host).toEqual(refused);
    },
  );

  test("no page of another origin, by whatever method; its own page", async () => {
    const estimates = "/v1/bundles/sample/1.0.0/estimates";
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1", DEV]) {
      expect(await ask(worker.url, { origin }), origin).toEqual(refused);
      expect(await ask(worker.url, { origin, "content-type": "text/plain" }, "POST", estimates)).toEqual(refused);
      expect(await ask(worker.url, { origin, "access-control-request-method": "POST" }, "OPTIONS", estimates)).toEqual(refused); // prettier-ignore
    }
    expect(await ask(worker.url, { origin: worker.url })).toEqual(read);
  });

  test("named origins: as addresses, and their pages", async () => {
    for (const origin of [NAMED, DEV]) expect(await ask(named.url, { origin })).toEqual({ ...read, cors: origin });
    const headers = { origin: DEV, "access-control-request-method": "POST" };
    expect(await ask(named.url, headers, "OPTIONS")).toMatchObject({ status: 204, cors: DEV });
    expect(await ask(named.url, { host: "evals.example.com" })).toEqual(read);
    expect(await ask(named.url, { origin: "https://evil.example" })).toEqual(refused);
    expect(await ask(named.url, { host: "evil.example" })).toEqual(refused);
  });
});

test("a port that is taken is a named error", async () => {
  const { port } = new URL(worker.url);
  await expect(startLocalWorker({ port: Number(port), persist })).rejects.toMatchObject({ code: "unavailable" });
});

describe("a Worker that doesn't start is a named error, and leaves nothing running", () => {
  /** Starts it in a process of its own, from `script`, and waits for that to end. */
  async function start(
    script: string,
    options: LocalWorkerOptions,
  ): Promise<{ code: string; message: string; ended: boolean }> {
    const lines = [
      `const { startLocalWorker } = await import(${JSON.stringify(script)});`,
      `const report = ({ code, message }) => process.stdout.write(JSON.stringify({ code, message }));`,
      `await startLocalWorker(${JSON.stringify(options)}).then(() => report({}), report);`,
    ];
    const child = spawn(process.execPath, ["--input-type=module", "--eval", lines.join("\n")], {
      cwd: persist,
      stdio: ["ignore", "pipe", "ignore"], // workerd prints its own stack
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const tooLong = setTimeout(() => child.kill("SIGKILL"), 15_000);
    const [status] = (await once(child, "close")) as [number | null];
    clearTimeout(tooLong);
    return { ...(JSON.parse(output) as { code: string; message: string }), ended: status === 0 };
  }
  const built = new URL("../../../offline-trainer/dist/", import.meta.url);
  const script = new URL("features/serve/fit/local-worker.js", built).href;

  test("a port that is taken after it was tried: here by its own second socket", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    expect(await start(script, { port, directSocket: port, persist })).toEqual({
      code: "unavailable",
      message: `port ${port} can't be used on 127.0.0.1: choose another`,
      ended: true,
    });
  });

  test("the second socket's port is taken", async () => {
    const port = Number(new URL(worker.url).port);
    expect(await start(script, { port: 0, directSocket: port, persist })).toEqual({
      code: "unavailable",
      message: `port ${port} can't be used on 127.0.0.1: choose another`,
      ended: true,
    });
  });

  test("a state folder that can't be one", async () => {
    const file = join(persist, "file");
    await writeFile(file, "");
    expect(await start(script, { port: 0, persist: file })).toMatchObject({ code: "unavailable", ended: true });
  });

  test("a Worker whose script is broken", async () => {
    const folder = await mkdtemp(join(tmpdir(), "anchoreval-"));
    try {
      await cp(fileURLToPath(built), folder, { recursive: true });
      await symlink(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(folder, "node_modules"));
      await writeFile(join(folder, "package.json"), '{"type":"module"}');
      await writeFile(join(folder, "worker", "index.js"), "export defaul {");
      const copy = pathToFileURL(join(folder, "features/serve/fit/local-worker.js")).href;
      const error = await start(copy, { port: 0, persist });
      expect(error).toMatchObject({ code: "unavailable", ended: true });
      expect(error.message).toMatch(/^the Worker could not be started on this machine: .*runtime failed to start/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test("a Worker whose files are built anew goes on with those that it began with", async () => {
  const folder = await mkdtemp(join(tmpdir(), "anchoreval-"));
  const built = fileURLToPath(new URL("../../../offline-trainer/dist/", import.meta.url));
  for (const part of ["features/serve/fit", "worker"])
    await cp(join(built, part), join(folder, part), { recursive: true });
  await symlink(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const copy = (await import(pathToFileURL(join(folder, "features/serve/fit/local-worker.js")).href)) as typeof import("anchoreval-trainer"); // prettier-ignore
  const own = await copy.startLocalWorker({ port: 0, persist: join(folder, "state") });
  try {
    await rm(join(folder, "worker"), { recursive: true });
    await cp(join(built, "worker/worker.json"), join(folder, "worker/worker.json"));
    for (const [path, contains] of [
      ["/", "<html"],
      ["/docs/", "swagger-ui"],
      ["/healthz", "ok"],
    ] as const) {
      const response = await fetch(`${own.url}${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      expect(await response.text()).toContain(contains);
    }
  } finally {
    await own.dispose();
    await rm(folder, { recursive: true });
  }
});

test.skipIf(!WHOLE)("`wrangler dev` on the same state sees what was published, and the other way round", async () => {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const quiet = { WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", CLOUDFLARE_CF_FETCH_ENABLED: "false" };
  const args = ["dev", "--env=", "--port", "0", "--inspector-port", "0", "--persist-to", persist];
  const dev = spawn(process.execPath, [join(root, "node_modules/wrangler/bin/wrangler.js"), ...args], {
    cwd: root,
    env: { ...process.env, ...quiet, CI: "true" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let output = "";
      dev.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        const found = /Ready on (http:\/\/\S+)/.exec(output)?.[1];
        if (found) resolve(found.replace("localhost", "127.0.0.1"));
      });
      dev.once("exit", () => reject(new Error(output)));
    });
    const { versions } = (await createClient({ baseUrl: url }).bundles.list())[0]!;
    expect(versions.map(({ version }) => version)).toContain("1.0.0");
    await publishBundle(r2Store(await worker.bucket()), sampleBundle({ version: "1.2.0" }));
    expect((await fetch(`${url}/v1/bundles/sample/1.2.0`)).status).toBe(200);
  } finally {
    dev.kill("SIGTERM");
    await new Promise((resolve) => dev.once("exit", resolve));
  }
});
