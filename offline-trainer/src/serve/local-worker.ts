import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AnchorEvalError } from "anchoreval";
import type { R2SweepBucket } from "anchoreval/publish";
import { Miniflare } from "miniflare";

/** How the Worker is run on this machine. */
export interface LocalWorkerOptions {
  /** @default 8787; 0 = any free one */
  readonly port?: number;
  /** State folder, as `wrangler dev --persist-to` names it: both see the same bundles. @default .wrangler/state */
  readonly persist?: string;
  /** Port of a second socket, workerd's own without miniflare before it: for benchmarks. 0 = any free one */
  readonly directSocket?: number;
  /** Secrets and variables beside those of wrangler.toml, such as `TOKENS`. `SESSION_KEYS` is made anew unless it is here. */
  readonly vars?: Readonly<Record<string, string | number>>;
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

/** What scripts/build-worker.js took from wrangler.toml. */
interface WorkerSettings {
  readonly name: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: string[];
  readonly r2Buckets: Record<string, string>;
  /** Queues by binding, and how each is consumed by name. */
  readonly queues: {
    readonly producers: Record<string, string>;
    readonly consumers: Record<string, { maxBatchSize?: number; maxBatchTimeout?: number; maxRetries?: number }>;
  };
  readonly vars: Record<string, string | number | boolean>;
}

const HOST = "127.0.0.1";
const BUNDLED = fileURLToPath(new URL("../worker/", import.meta.url));

/**
 * Starts the bundled Worker in workerd, as Cloudflare would run it.
 * @throws AnchorEvalError `unavailable` where a port is taken or the Worker doesn't start (then nothing of it is left
 * running), `unsupported` where it was not built
 * @example
 * const worker = await startLocalWorker({ port: 0, persist: folder });
 * await publishBundle(r2Store(await worker.bucket()), files);
 */
export async function startLocalWorker(options: LocalWorkerOptions = {}): Promise<LocalWorker> {
  const { port = 8787, persist = ".wrangler/state", directSocket } = options;
  const { name, compatibilityDate, compatibilityFlags, r2Buckets, queues, vars } = await readSettings();
  for (const wanted of [port, directSocket]) if (wanted !== undefined) await refuseTakenPort(wanted);
  const miniflare = new Miniflare({
    host: HOST,
    port,
    cf: false,
    defaultPersistRoot: join(resolve(persist), "v3"),
    workers: [
      {
        name,
        modulesRoot: BUNDLED,
        modules: [{ type: "ESModule", path: join(BUNDLED, "index.js") }],
        compatibilityDate,
        compatibilityFlags,
        r2Buckets,
        queueProducers: queues.producers,
        queueConsumers: queues.consumers,
        // A line for every request is for Cloudflare's logs, not for this terminal.
        bindings: { SESSION_KEYS: randomBytes(32).toString("hex"), ...vars, LOG_REQUESTS: false, ...options.vars },
        assets: { directory: join(BUNDLED, "public"), routerConfig: { has_user_worker: true } },
        ...(directSocket !== undefined && { unsafeDirectSockets: [{ host: HOST, port: directSocket, proxy: false }] }),
      },
    ],
  });
  try {
    return {
      url: (await miniflare.ready).origin,
      directUrl: directSocket === undefined ? null : (await miniflare.unsafeGetDirectURL(name)).origin,
      bucket: () => miniflare.getR2Bucket("BUNDLES", name),
      dispose: () => miniflare.dispose(),
    };
  } catch (cause) {
    // Its own servers would keep the process alive. It cleans up, and then rejects with the same failure once more.
    await miniflare.dispose().catch(() => undefined);
    throw notStarted(cause);
  }
}

/** Why miniflare gave up; a port may be taken after it was tried. */
function notStarted(cause: unknown): AnchorEvalError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "ERR_ADDRESS_IN_USE") return portTaken(/:(\d+)\)/.exec(message)?.[1], cause);
  const why = message.split("\n")[0]!.replace(`${code}: `, "");
  return new AnchorEvalError("unavailable", `the Worker could not be started on this machine: ${why}`, { cause });
}

/** workerd would die of a taken port with a stack of its own. */
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
