import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AnchorEvalError } from "anchoreval";
import type { R2StoreBucket } from "anchoreval/publish";
import { Miniflare } from "miniflare";

export interface LocalWorkerOptions {
  /** @default 8787; 0 = any free one */
  readonly port?: number;
  /** State folder, as `wrangler dev --persist-to` names it: both see the same bundles. @default .wrangler/state */
  readonly persist?: string;
  /** Port of a second socket, workerd's own without miniflare before it: for benchmarks. 0 = any free one */
  readonly directSocket?: number;
}

/** The Worker on this machine, with a real (local) R2. */
export interface LocalWorker {
  /** For example `http://127.0.0.1:8787`. */
  readonly url: string;
  /** The direct socket, where one was asked for. */
  readonly directUrl: string | null;
  /** The R2 bucket of its bundles: `publishBundle(r2Store(await worker.bucket()), files)`. */
  bucket(): Promise<R2StoreBucket>;
  /** Stops it; its R2 stays on disk. */
  dispose(): Promise<void>;
}

/** What scripts/build-worker.js took from wrangler.toml. */
interface WorkerSettings {
  readonly name: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: string[];
  readonly r2Buckets: Record<string, string>;
  readonly vars: Record<string, string | number | boolean>;
}

const HOST = "127.0.0.1";
const BUNDLED = fileURLToPath(new URL("../worker/", import.meta.url));

/**
 * Starts the bundled Worker in workerd, as Cloudflare would run it.
 * @throws AnchorEvalError `unavailable` where the port is taken, `unsupported` where the Worker was not built
 * @example
 * const worker = await startLocalWorker({ port: 0, persist: folder });
 * await publishBundle(r2Store(await worker.bucket()), files);
 */
export async function startLocalWorker(options: LocalWorkerOptions = {}): Promise<LocalWorker> {
  const { port = 8787, persist = ".wrangler/state", directSocket } = options;
  const { name, compatibilityDate, compatibilityFlags, r2Buckets, vars } = await readSettings();
  await refuseTakenPort(port);
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
        bindings: vars,
        assets: { directory: join(BUNDLED, "public"), routerConfig: { has_user_worker: true } },
        ...(directSocket !== undefined && { unsafeDirectSockets: [{ host: HOST, port: directSocket, proxy: false }] }),
      },
    ],
  });
  const url = (await miniflare.ready).origin;
  return {
    url,
    directUrl: directSocket === undefined ? null : (await miniflare.unsafeGetDirectURL(name)).origin,
    bucket: () => miniflare.getR2Bucket("BUNDLES", name),
    dispose: () => miniflare.dispose(),
  };
}

/** workerd would die of a taken port with a stack of its own. */
async function refuseTakenPort(port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((ready, reject) => server.once("error", reject).listen(port, HOST, ready));
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `port ${port} can't be used on ${HOST}: choose another`, { cause });
  } finally {
    server.close();
  }
}

async function readSettings(): Promise<WorkerSettings> {
  try {
    return JSON.parse(await readFile(join(BUNDLED, "worker.json"), "utf8")) as WorkerSettings;
  } catch (cause) {
    throw new AnchorEvalError("unsupported", `the Worker was not built (${BUNDLED}): run "npm run build"`, { cause });
  }
}
