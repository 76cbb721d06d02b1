import { randomBytes } from "node:crypto";
import { copyFile, link, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AnchorEvalError } from "anchoreval";
import { checkNames } from "anchoreval/internal/core/errors";
import type { R2SweepBucket } from "anchoreval/internal/bundles/r2-store";
import { shippedObjects } from "anchoreval/internal/node/shipped-bundles";
import type { Response as MiniflareResponse } from "miniflare";
import { createServer as createHttpServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";

/** Options of {@link startLocalWorker}. */
export interface LocalWorkerOptions {
  /** @default 8787; 0 = any free one */
  readonly port?: number;
  /** State folder, as in `wrangler dev --persist-to`: both see the same bundles. @default .wrangler/state */
  readonly persist?: string;
  /** Port of a second socket for benchmarks, which bypasses miniflare. 0 = any free one */
  readonly directSocket?: number;
  /** Origins besides this machine's own that may be its address, and whose pages may ask it. @default none */
  readonly origins?: readonly string[];
  /** Has the bundles that come with the package, as a deployed Worker does. @default false */
  readonly shipped?: boolean;
  /** Secrets and variables besides those of wrangler.toml, such as `TOKENS`. `SESSION_KEYS` defaults to a new key. */
  readonly vars?: Readonly<Record<string, string | number | boolean>>;
}

/** The Worker on this machine, with a real (local) R2. */
export interface LocalWorker {
  /** For example `http://127.0.0.1:8787`. */
  readonly url: string;
  /** The direct socket, where one was asked for. */
  readonly directUrl: string | null;
  /** The R2 bucket of its bundles: `publishBundle(r2Store(await worker.bucket()), files)`. */
  bucket(): Promise<R2SweepBucket>;
  /** Stops it; its R2 stays on disk. */
  dispose(): Promise<void>;
}

/** The settings that scripts/build-worker.js takes from wrangler.toml. */
interface WorkerSettings {
  readonly name: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: string[];
  readonly r2Buckets: Record<string, string>;
  /** Queues by binding, and the settings of their consumers by name. */
  readonly queues: {
    readonly producers: Record<string, string>;
    readonly consumers: Record<string, { maxBatchSize?: number; maxBatchTimeout?: number; maxRetries?: number }>;
  };
  readonly vars: Record<string, string | number | boolean>;
}

const HOST = "127.0.0.1";
const BUNDLED = fileURLToPath(new URL("../../../worker/", import.meta.url));
const GATE = fileURLToPath(new URL("local-gate.js", import.meta.url));

/**
 * Starts the bundled Worker in workerd, as Cloudflare runs it.
 * @throws AnchorEvalError `unavailable` if a port is taken or the Worker doesn't start (nothing of it is left running),
 * `unsupported` if it was not built
 * @example
 * const worker = await startLocalWorker({ port: 0, persist: folder });
 * await publishBundle(r2Store(await worker.bucket()), files);
 */
export async function startLocalWorker(options: LocalWorkerOptions = {}): Promise<LocalWorker> {
  checkNames(options, {
    port: "number",
    persist: true,
    directSocket: "number",
    origins: "list",
    shipped: true,
    vars: true,
  });
  const { Miniflare } = await import("miniflare"); // it takes most of a second, and whoever only fits needs none
  const { port = 8787, persist = ".wrangler/state", directSocket } = options;
  const { name, compatibilityDate, compatibilityFlags, r2Buckets, queues, vars } = await readSettings();
  for (const wanted of [port, directSocket]) if (wanted !== undefined) await refuseTakenPort(wanted);
  const assets = await keepFiles(join(BUNDLED, "public"));
  const miniflare = new Miniflare({
    host: HOST,
    port: 0,
    cf: false,
    defaultPersistRoot: join(resolve(persist), "v3"),
    workers: [
      {
        name: "gate",
        modulesRoot: dirname(GATE),
        modules: [{ type: "ESModule", path: GATE }],
        compatibilityDate,
        bindings: { ORIGINS: [...(options.origins ?? [])] },
        serviceBindings: { WORKER: name },
      },
      {
        name,
        modulesRoot: BUNDLED,
        modules: [{ type: "ESModule", path: join(BUNDLED, "index.js") }],
        compatibilityDate,
        compatibilityFlags,
        r2Buckets,
        queueProducers: queues.producers,
        queueConsumers: queues.consumers,
        // Log lines of requests are for Cloudflare, not for this terminal.
        bindings: {
          SESSION_KEYS: randomBytes(32).toString("hex"),
          ...vars,
          LOG_REQUESTS: false,
          OPEN_JOBS: true, // nobody else comes here
          ...options.vars,
        },
        assets: { directory: assets, routerConfig: { has_user_worker: true } },
        ...(options.shipped === true && { serviceBindings: { SHIPPED: await shippedFiles() } }),
        ...(directSocket !== undefined && { unsafeDirectSockets: [{ host: HOST, port: directSocket, proxy: false }] }),
      },
    ],
  });
  let front: Front | null = null;
  const dispose = async (): Promise<void> => {
    try {
      await front?.close();
      await miniflare.dispose();
    } finally {
      await rm(assets, { recursive: true, force: true });
    }
  };
  try {
    front = await openFront(HOST, port, Number((await miniflare.ready).port));
    return {
      url: `http://${HOST}:${front.port}`,
      directUrl: directSocket === undefined ? null : (await miniflare.unsafeGetDirectURL(name)).origin,
      bucket: () => miniflare.getR2Bucket("BUNDLES", name),
      dispose,
    };
  } catch (cause) {
    // Its servers would keep the process alive. Disposal rejects with the same error again.
    await dispose().catch(() => undefined);
    throw notStarted(cause);
  }
}

/** A folder with the same files, which stays as it is when the first one is built anew. @returns its path */
async function keepFiles(folder: string): Promise<string> {
  const kept = await mkdtemp(join(tmpdir(), "anchoreval-"));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const copy = join(kept, path.slice(folder.length));
    await mkdir(dirname(copy), { recursive: true });
    await link(path, copy).catch(() => copyFile(path, copy)); // another disk
  }
  return kept;
}

/** The bundles that come with the package, where a deployed Worker has static files. */
async function shippedFiles(): Promise<(request: { readonly url: string }) => Promise<MiniflareResponse>> {
  const { Response } = await import("miniflare");
  const { objects, versions } = shippedObjects();
  const list = { objects: Object.fromEntries(objects), versions };
  return async ({ url }) => {
    const key = new URL(url).pathname.replace("/shipped/", "");
    if (key === "objects.json") return Response.json(list);
    const object = objects.get(key);
    return object === undefined
      ? new Response(null, { status: 404 })
      : new Response(new Uint8Array(await readFile(object.path)));
  };
}

/** Translates an error of miniflare; a port may be taken after it was checked. */
function notStarted(cause: unknown): AnchorEvalError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EADDRINUSE" || code === "EACCES") return portTaken(String((cause as { port?: number }).port), cause);
  const why = message.split("\n")[0]!.replace(`${code}: `, "");
  return new AnchorEvalError("unavailable", `the Worker could not be started on this machine: ${why}`, { cause });
}

/** workerd would crash on a taken port. */
async function refuseTakenPort(port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((ready, reject) => server.once("error", reject).listen(port, HOST, ready));
  } catch (cause) {
    throw portTaken(String(port), cause);
  } finally {
    server.close();
  }
}

function portTaken(port = "that was asked for", cause: unknown): AnchorEvalError {
  return new AnchorEvalError("unavailable", `port ${port} can't be used on ${HOST}: choose another`, { cause });
}

async function readSettings(): Promise<WorkerSettings> {
  try {
    return JSON.parse(await readFile(join(BUNDLED, "worker.json"), "utf8")) as WorkerSettings;
  } catch (cause) {
    throw new AnchorEvalError("unsupported", `the Worker was not built (${BUNDLED}): run "npm run build"`, { cause });
  }
}

/** Where a local Worker is reached. */
interface Front {
  readonly port: number;
  close(): Promise<void>;
}

/** A request line that names its server too (RFC 9112, §3.2.2), or none but it (§3.2.4). */
const ABSOLUTE = /^[A-Z]+ (?:https?:\/\/|\* )/i;
/** A Content-Length that is no number, or is there twice. */
const BAD_LENGTH = /\r\ncontent-length:(?![ \t]*\d+[ \t]*\r\n)|\r\ncontent-length:[^]*\r\ncontent-length:/i;

/**
 * Stands before workerd, which answers 500 to requests in absolute form and to lengths that are no number. A connection that
 * begins with such a one is read by Node, and its requests are asked on in the usual form; any other is passed on as it is.
 * @param port - to listen on; 0 = any free one
 * @param behind - the port of workerd
 */
async function openFront(host: string, port: number, behind: number): Promise<Front> {
  const sockets = new Set<Socket>();
  const reader = createHttpServer((request, response) => askOn(request, response, host, behind));
  reader.on("clientError", (_, socket) => {
    const body = JSON.stringify({ type: "urn:anchoreval:problem:malformed_request", title: "Not HTTP", status: 400, detail: "the request can't be read: its line, a header or its Content-Length isn't HTTP", code: "malformed_request", issues: [] }); // prettier-ignore
    socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`); // prettier-ignore
  });
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket)); // the caller has gone
    const leave = (): void => void socket.end(); // nothing was asked
    socket.once("end", leave).once("data", (first) => {
      socket.off("end", leave).pause();
      socket.unshift(first);
      const head = first.toString("latin1").split("\r\n\r\n")[0]!;
      if (ABSOLUTE.test(head) || BAD_LENGTH.test(`${head}\r\n`)) reader.emit("connection", socket);
      else passOn(socket, connect({ host, port: behind, allowHalfOpen: true, noDelay: true }));
      socket.resume();
    });
  });
  await new Promise<void>((ready, reject) => server.once("error", reject).listen(port, host, ready));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Joins two connections: what ends, or breaks, on one side does so on the other. */
function passOn(socket: Socket, up: Socket): void {
  socket.pipe(up).on("error", () => socket.destroy());
  up.pipe(socket);
  socket.on("close", () => up.destroy());
  up.on("close", () => socket.destroy());
}

/** Asks a request on as one of its own connection, whose keeping or closing isn't passed on. */
function askOn(request: IncomingMessage, response: ServerResponse, host: string, port: number): void {
  const { url: target = "/", method, rawHeaders } = request;
  const named = URL.canParse(target) ? new URL(target) : null;
  const path = named === null ? (target === "*" ? "/" : target) : `${named.pathname}${named.search}`;
  const headers = pairs(rawHeaders).map(([name, value]) =>
    named !== null && /^host$/i.test(name) ? [name, named.host] : [name, value],
  );
  const up = ask({ host, port, method, path, headers: headers.flat(), agent: false, setHost: false });
  up.on("response", (answer) => {
    response.writeHead(answer.statusCode!, answer.statusMessage, pairs(answer.rawHeaders).flat());
    answer.pipe(response);
  });
  up.on("error", () => response.destroy());
  response.on("close", () => up.destroy());
  request.pipe(up);
}

/** Names and values of headers, without the connection's. */
function pairs(raw: readonly string[]): [name: string, value: string][] {
  const all = Array.from({ length: raw.length / 2 }, (_, k): [string, string] => [raw[2 * k]!, raw[2 * k + 1]!]);
  return all.filter(([name]) => !/^(?:connection|keep-alive|proxy-connection)$/i.test(name));
}
