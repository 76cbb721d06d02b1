// Bundles the Worker for the trainer: workers/public gets the page and the files of /docs, dist/worker/ the bundled Worker, its static
// assets and its settings from wrangler.toml, so that `serve` and `demo` need neither wrangler nor the sources.
// Does nothing where no input has changed since.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { shippedObjects } from "anchoreval/internal/node/shipped-bundles";
import { buildPage } from "./build-page.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(join(root, "package.json"));
const target = join(root, "offline-trainer/dist/worker");
const assets = join(root, "workers/public");
const swagger = dirname(require.resolve("swagger-ui-dist/package.json"));
/** Folder of static files for the bundles that come along. */
const SHIPPED = "shipped";
const SWAGGER_FILES = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png", "LICENSE", "NOTICE"];

const stamp = await digestOf([
  "wrangler.toml",
  "package-lock.json",
  "bundles",
  "workers/src",
  "workers/assets",
  "workers/page",
  "offline-trainer/browser",
  "offline-trainer/src",
  "sdk/dist",
  "offline-trainer/scripts",
]);
if ((await read(join(target, "stamp"))) === stamp && (await read(join(assets, "_headers"))) !== null) {
  console.log("the Worker is built already");
} else {
  await copyAssets();
  await bundle();
  console.log(`the Worker is built: ${relative(root, target)}`);
}

/** The page, and /docs: our own files, and Swagger UI's. The folder is never away: tests and `wrangler dev` may read it. */
async function copyAssets() {
  await cp(join(root, "workers/assets"), assets, { recursive: true });
  await Promise.all(SWAGGER_FILES.map((file) => cp(join(swagger, file), join(assets, "docs", file))));
  const page = await buildPage(root, assets);
  const wanted = new Set([...page, ...SWAGGER_FILES.map((file) => join("docs", file))]);
  for (const file of await filesUnder("workers/assets")) wanted.add(relative("workers/assets", file));
  for (const file of await copyBundles()) wanted.add(file);
  const there = (await filesUnder("workers/public")).map((file) => relative("workers/public", file));
  await Promise.all(there.filter((file) => !wanted.has(file)).map((file) => rm(join(assets, file))));
}

/** The bundles that come along, as a deployed Worker finds them (workers/src/bundles/shipped-bucket.ts). @returns their files */
async function copyBundles() {
  const { objects, versions } = shippedObjects();
  for (const [key, { path }] of objects) await cp(path, join(assets, SHIPPED, key));
  const list = Object.fromEntries(Array.from(objects, ([key, { bytes, sha256 }]) => [key, { bytes, sha256 }]));
  await writeFile(join(assets, SHIPPED, "objects.json"), `${JSON.stringify({ objects: list, versions })}\n`);
  return [...objects.keys(), "objects.json"].map((key) => join(SHIPPED, key));
}

/** Builds beside the target and puts it there when it is whole. */
async function bundle() {
  // wrangler reads these when it is loaded
  Object.assign(process.env, {
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
  });
  const fresh = `${target}.${process.pid}`;
  const config = join(root, "wrangler.toml");
  const wrangler = join(dirname(require.resolve("wrangler/package.json")), "bin/wrangler.js");
  await promisify(execFile)(
    process.execPath,
    [wrangler, "deploy", "--dry-run", "--outdir", fresh, "--config", config, "--env="],
    { cwd: root },
  );
  await Promise.all(["index.js.map", "README.md"].map((file) => rm(join(fresh, file), { force: true })));
  // The package has the bundles already, in the SDK's.
  const filter = (path) => relative(assets, path) !== SHIPPED;
  await cp(assets, join(fresh, "public"), { recursive: true, filter });
  const { unstable_readConfig: readConfig } = await import("wrangler");
  const settings = readConfig({ config });
  await writeFile(
    join(fresh, "worker.json"),
    `${JSON.stringify({
      name: settings.name,
      compatibilityDate: settings.compatibility_date,
      compatibilityFlags: settings.compatibility_flags,
      r2Buckets: Object.fromEntries(settings.r2_buckets.map((bucket) => [bucket.binding, bucket.bucket_name])),
      queues: {
        producers: Object.fromEntries(settings.queues.producers.map(({ binding, queue }) => [binding, queue])),
        consumers: Object.fromEntries(
          settings.queues.consumers.map((own) => [
            own.queue,
            {
              maxBatchSize: own.max_batch_size,
              maxBatchTimeout: own.max_batch_timeout,
              maxRetries: own.max_retries,
              deadLetterQueue: own.dead_letter_queue,
            },
          ]),
        ),
      },
      vars: settings.vars,
    })}\n`,
  );
  await writeFile(join(fresh, "stamp"), stamp);
  await rm(target, { recursive: true, force: true });
  await mkdir(dirname(target), { recursive: true });
  await rename(fresh, target);
}

/** SHA-256 of all files under the paths, names included. */
async function digestOf(paths) {
  const hash = createHash("sha256");
  for (const path of paths)
    for (const file of await filesUnder(path)) hash.update(`${file}\n`).update(await readFile(join(root, file)));
  return hash.digest("hex");
}

async function filesUnder(path) {
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true }).catch(() => null);
  if (entries === null) return [path];
  return entries
    .filter((entry) => entry.isFile() && !/\.(map|d\.ts|tsbuildinfo)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

async function read(file) {
  return readFile(file, "utf8").catch(() => null);
}
