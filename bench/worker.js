// The Worker's speed and size: see README.md, "worker". Needs `npm run build`; takes about a minute.
import { Buffer } from "node:buffer";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { startLocalWorker } from "anchoreval-trainer";
import { DIMS, SCENARIOS, syntheticBundle, withMissing, workerdCpu } from "./worker/synthetic-bundle.js";

const STARTS = 7;
/** Each case's requests come in rounds, cases in turns, so that a busy machine slows all of them. */
const ROUNDS = 8;
const ROUND_REQUESTS = 100;
/** Requests of each case before anything is measured: code is compiled, bundles are decoded. */
const WARM_UP = 200;
const MISSING = 0.3;
const BUNDLES = {
  one: ["mmlu alone", { mmlu: SCENARIOS.mmlu }, false],
  separate: ["six scenarios, each by itself", SCENARIOS, false],
  linked: ["six scenarios together", SCENARIOS, true],
};

const persist = await mkdtemp(join(tmpdir(), "anchoreval-bench-"));
try {
  const bundles = Object.entries(BUNDLES).map(([name, [title, scenarios, linked]]) => {
    const { files, answers } = syntheticBundle(name, scenarios, linked);
    return { title, linked, files, answers, path: `/v1/bundles/${name}/1.0.0/estimates` };
  });
  await withWorker(async (worker) => {
    const store = r2Store(await worker.bucket());
    for (const { files } of bundles) await publishBundle(store, files);
  });
  const cases = bundles.flatMap(({ title, linked, answers, path }) =>
    [0, MISSING].map((share) => ({
      title: `${title}, ${100 * (1 - share)} % answered`,
      evidence: linked ? "together" : "alone",
      path,
      body: JSON.stringify({ responses: withMissing(answers, share) }),
    })),
  );
  const largest = cases.at(-2);

  const starts = [];
  const firsts = { wall: [], cpu: 0 };
  for (let i = 0; i < STARTS; i++) {
    const begun = performance.now();
    await withWorker(async ({ directUrl }) => {
      const agent = new Agent({ keepAlive: true });
      await timed(agent, `${directUrl}/healthz`);
      starts.push(performance.now() - begun);
      await measure(firsts, () => timed(agent, directUrl + largest.path, largest.body));
      agent.destroy();
    });
  }
  const warm = await withWorker(({ directUrl }) => timeWarm(directUrl, cases));

  const code = await readFile(new URL("../offline-trainer/dist/worker/index.js", import.meta.url));
  const size = [...bundles.at(-1).files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  console.log(`bundle: ${sum(Object.values(SCENARIOS))} items, ${DIMS} dimensions, ${(size / 1e6).toFixed(1)} MB`);
  console.log(
    `request: ${Object.keys(bundles.at(-1).answers).length} answers, ${(largest.body.length / 1e3).toFixed(0)} kB`,
  );
  report("process start", starts);
  report("first estimate, empty isolate", firsts.wall, "aim: under 100 ms");
  console.log(`  CPU of workerd, its R2 on this machine included: ${cpuOf(firsts)}`);
  const [nothing, ...estimates] = warm;
  report(nothing.title, nothing.wall);
  console.log(`  CPU of workerd: ${cpuOf(nothing)} a request, taken off the following (aim: under 10 ms)`);
  for (const own of estimates) {
    report(own.title, own.wall);
    console.log(`  CPU of workerd: ${cpuOf(own, nothing)}`);
  }
  console.log(
    `Worker: ${(code.length / 1e3).toFixed(0)} kB, ${(gzipSync(code).length / 1e3).toFixed(0)} kB compressed (aim: under 1000 kB)`,
  );
} finally {
  await rm(persist, { recursive: true });
}

/** Wall times of every request, and the CPU of all requests, of the route that does nothing and of each case. */
async function timeWarm(url, cases) {
  const agent = new Agent({ keepAlive: true });
  const measured = [{ title: "do-nothing route", path: "/healthz" }, ...cases].map((own) => ({
    ...own,
    wall: [],
    cpu: 0,
  }));
  for (const { path, body, evidence } of measured)
    for (let i = 0; i < WARM_UP; i++) {
      const { text } = await timed(agent, url + path, body);
      if (i === 0 && evidence) refuseOther(JSON.parse(text), evidence);
    }
  for (let round = 0; round < ROUNDS; round++)
    for (const own of measured) await measure(own, () => timed(agent, url + own.path, own.body), ROUND_REQUESTS);
  agent.destroy();
  return measured;
}

/** Adds the wall times of requests, and the CPU of all of them; that is null where it can't be known. */
async function measure(sums, ask, requests = 1) {
  const before = await workerdCpu();
  for (let i = 0; i < requests; i++) sums.wall.push((await ask()).wall);
  sums.cpu = before === null ? null : sums.cpu + (await workerdCpu()) - before;
}

/** What is timed must be what its title says. */
function refuseOther({ score, interval, scenarios }, evidence) {
  const other = Object.values(scenarios).find(({ details }) => details.evidence !== evidence);
  if (score === null || interval === null || other) throw new Error(`an estimate isn't from answers ${evidence}`);
}

/** CPU a request, less that of a request that does nothing. */
function cpuOf({ cpu, wall }, idle = { cpu: 0, wall: [0] }) {
  if (cpu === null) return "not measured (no /proc)";
  return `${(cpu / wall.length - idle.cpu / idle.wall.length).toFixed(2)} ms`;
}

/** Runs on a Worker of its own, through workerd's own socket. */
async function withWorker(action) {
  const worker = await startLocalWorker({ port: 0, persist, directSocket: 0 });
  try {
    return await action(worker);
  } finally {
    await worker.dispose();
  }
}

/** Milliseconds from sending a request to its last byte, and what came. */
function timed(agent, url, body) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const headers =
      body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(url, { agent, method: body === undefined ? "GET" : "POST", headers }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.once("end", () => {
        const wall = performance.now() - begun;
        const text = Buffer.concat(parts).toString();
        if (response.statusCode === 200) resolve({ wall, text });
        else reject(new Error(`${url}: ${response.statusCode} ${text}`));
      });
    });
    sent.once("error", reject).end(body);
  });
}

function report(name, times, aim = "") {
  const sorted = [...times].sort((x, y) => x - y);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(2);
  console.log(
    `${name}: median ${median(times).toFixed(2)} ms, 95 % ${at(0.95)} ms, of ${times.length}${aim && ` (${aim})`}`,
  );
}

function median(values) {
  const sorted = [...values].sort((x, y) => x - y);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
