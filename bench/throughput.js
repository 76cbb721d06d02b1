// An empty isolate's first estimate; requests a second at 16 connections beside a route that only reads the same body;
// latency at one; a long load: see README.md, "throughput". Needs `npm run build`.
// usage: node bench/throughput.js [--dims 2] [--starts 5] [--seconds 10] [--load 60] [--beside OTHER/index.js]
import { Buffer } from "node:buffer";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { Miniflare } from "miniflare";
import { SCENARIOS, syntheticBundle, workerdCpu } from "./worker/synthetic-bundle.js";
import { readOptions } from "./options.js";

const { values: options } = readOptions(import.meta.url, {
  seconds: "10",
  load: "60",
  starts: "5",
  dims: "2",
  beside: null,
});
const [seconds, dims] = [Number(options.seconds), Number(options.dims)];
const CONNECTIONS = 16;
/** Rounds of each case, in turns, so that a busy machine slows all of them. */
const ROUNDS = 10;
/** Models of a batch. */
const BATCH = 25;

const root = fileURLToPath(new URL("..", import.meta.url));
const BUILT = join(root, "offline-trainer/dist/worker/index.js");
const folder = await mkdtemp(join(tmpdir(), "anchoreval-bench-"));
try {
  const { files, answers } = syntheticBundle("mmlu", { mmlu: SCENARIOS.mmlu }, false, 100, dims);
  const path = "/v1/bundles/mmlu/1.0.0/estimates";
  const body = JSON.stringify({ responses: answers });
  const firsts = [];
  for (let k = 0; k < Number(options.starts); k++) {
    const { miniflare, url } = await started("anchoreval", BUILT, files);
    await drive({ url: `${url}/healthz` }, 1, 0.01);
    firsts.push((await drive({ url: url + path, body }, 1, 0)).times[0]);
    await miniflare.dispose();
  }
  firsts.sort((x, y) => x - y);
  console.log(
    `first estimate of an empty isolate: ${firsts.map((time) => time.toFixed(0)).join(", ")} ms (aim: 100 ms)`,
  );

  const worker = await started("anchoreval", BUILT, files);
  const other = options.beside === undefined ? null : await started("anchoreval", options.beside, files);
  const parser = await started("parse-only", await bundled("bench/worker/parse-only.js"));
  try {
    const cases = [
      { title: "do-nothing route", url: `${worker.url}/healthz`, done: 0, wall: 0 },
      { title: "reads the body alone", url: parser.url + path, body, done: 0, wall: 0 },
      { title: "estimate", url: worker.url + path, body, done: 0, wall: 0 },
      ...(other ? [{ title: "estimate of the other build", url: other.url + path, body, done: 0, wall: 0 }] : []),
    ];
    for (const own of cases) await drive(own, CONNECTIONS, 2);
    for (let round = 0; round < ROUNDS; round++)
      for (const own of cases) {
        const { done, wall } = await drive(own, CONNECTIONS, seconds / ROUNDS);
        own.done += done;
        own.wall += wall;
      }
    console.log(`100 anchors of ${SCENARIOS.mmlu} items in ${dims} dimensions, ${CONNECTIONS} connections`);
    for (const { title, done, wall } of cases) console.log(`  ${title}: ${((1000 * done) / wall).toFixed(0)} a second`);
    const [, reading, estimate, others] = cases.map(({ done, wall }) => done / wall);
    console.log(`  estimate beside reading alone: ${(estimate / reading).toFixed(2)} (aim: .45)`);
    if (other) console.log(`  estimate beside the other build: ${(estimate / others).toFixed(2)}`);

    const alone = await drive(cases[2], 1, seconds / 2);
    const sorted = alone.times.toSorted((x, y) => x - y);
    const at = (share) => sorted[Math.floor(share * sorted.length)].toFixed(2);
    console.log(`one connection: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, of ${sorted.length} (aim: 4 ms)`);

    for (const own of [parser, other]) await own?.miniflare.dispose();
    const models = Array.from({ length: BATCH }, (_, k) => ({ model: `model ${k}`, responses: answers }));
    const batch = { url: `${worker.url}${path}/batch`, body: JSON.stringify({ models }) };
    await drive(batch, 1, 2);
    const spent = await workerdCpu();
    const { done: batches } = await drive(batch, 1, seconds / 2);
    console.log(
      `a batch of ${BATCH} models: ${(((await workerdCpu()) - spent) / batches).toFixed(1)} ms of CPU (aim: 10 ms)`,
    );
    if (Number(options.load) > 0) {
      const [memory, cpu] = [await workerdMemory(), await workerdCpu()];
      const loaded = await drive(cases[2], CONNECTIONS, Number(options.load));
      const used = ((await workerdCpu()) - cpu) / loaded.done;
      console.log(
        `${options.load} s of load: ${loaded.done} estimates, ${loaded.failed} failed; ${used.toFixed(2)} ms of CPU each (aim: .4 ms); memory ${memory} MB before, ${await workerdMemory()} MB after`,
      );
    }
  } finally {
    await worker.miniflare.dispose();
  }
} finally {
  await rm(folder, { recursive: true });
}

/** A script as wrangler bundles it. */
async function bundled(script) {
  const out = join(folder, "bundled");
  const wrangler = join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");
  const argv = [wrangler, "deploy", join(root, script), "--dry-run", "--outdir", out];
  await promisify(execFile)(process.execPath, [...argv, "--config", join(root, "wrangler.toml"), "--env="], {
    cwd: root,
  });
  return join(out, basename(script));
}

/** A Worker on a socket of workerd's own, with an R2 and without the pages of /docs, which Cloudflare serves before it. */
async function started(name, path, files = null) {
  const miniflare = new Miniflare({
    workers: [
      {
        name,
        modules: [{ type: "ESModule", path: "index.js", contents: await readFile(path, "utf8") }],
        compatibilityDate: "2026-04-01",
        r2Buckets: ["BUNDLES"],
        bindings: { MAX_BATCH_MODELS: String(BATCH) },
        unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, proxy: false }],
      },
    ],
  });
  await miniflare.ready;
  if (files) await publishBundle(r2Store(await miniflare.getR2Bucket("BUNDLES", name)), files);
  return { miniflare, url: (await miniflare.unsafeGetDirectURL(name)).origin };
}

/** Sends requests for some seconds, one at least, over so many connections, each its next one when the last was answered. */
async function drive({ url, body }, connections, duration) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times = [];
  let failed = 0;
  const begun = performance.now();
  const one = async () => {
    do {
      const sent = performance.now();
      if ((await ask(agent, url, body)) !== 200) failed++;
      times.push(performance.now() - sent);
    } while (performance.now() - begun < 1000 * duration);
  };
  await Promise.all(Array.from({ length: connections }, one));
  const wall = performance.now() - begun;
  agent.destroy();
  if (failed > 0 && duration < 5) throw new Error(`${url}: ${failed} of ${times.length} requests failed`);
  return { done: times.length, wall, times, failed };
}

function ask(agent, url, body) {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const method = body === undefined ? "GET" : "POST";
    const sent = request(url, { agent, method, headers }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    });
    sent.once("error", reject).end(body);
  });
}

/** Resident memory of all workerd processes. @unit MB */
async function workerdMemory() {
  let pages = 0;
  for (const id of (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry))) {
    const name = await readFile(`/proc/${id}/comm`, "utf8").catch(() => "");
    if (name.trim() !== "workerd") continue;
    pages += Number((await readFile(`/proc/${id}/statm`, "utf8").catch(() => "0 0")).split(" ")[1]);
  }
  return Math.round((pages * 4096) / 1e6);
}
