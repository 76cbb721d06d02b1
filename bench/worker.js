// The Worker's speed and size: see README.md, "worker". Needs `npm run build`; takes about 20 s.
import { Buffer } from "node:buffer";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { encodeBundle, FORMAT_VERSION } from "anchoreval/bundle";
import { createRandom, itemBank, PARAMETERIZATION } from "anchoreval/core";
import { publishBundle, r2Store } from "anchoreval/publish";
import { startLocalWorker } from "anchoreval-trainer";

// 28 659 items in six scenarios: the sizes of MMLU, HellaSwag, GSM8K, TruthfulQA, WinoGrande and ARC.
const SCENARIOS = { mmlu: 14042, hellaswag: 10042, gsm8k: 1319, truthfulqa: 817, winogrande: 1267, arc: 1172 };
const DIMS = 5;
const ANCHORS = 100;
const STARTS = 7;
const WARM_REQUESTS = 400;

const persist = await mkdtemp(join(tmpdir(), "anchoreval-bench-"));
try {
  const { files, answers } = syntheticBundle();
  await withWorker(async (worker) => publishBundle(r2Store(await worker.bucket()), files));
  const body = JSON.stringify({ responses: answers });
  const path = "/v1/bundles/bench/1.0.0/estimates";

  const starts = [];
  const firsts = [];
  for (let i = 0; i < STARTS; i++) {
    const begun = performance.now();
    await withWorker(async ({ directUrl }) => {
      const agent = new Agent({ keepAlive: true });
      await timed(agent, `${directUrl}/healthz`);
      starts.push(performance.now() - begun);
      firsts.push(await timed(agent, directUrl + path, body));
      agent.destroy();
    });
  }

  const [nothing, warm] = await withWorker(async ({ directUrl }) => {
    const agent = new Agent({ keepAlive: true });
    await timed(agent, directUrl + path, body);
    const nothing = [];
    const warm = [];
    // In turns, so that a busy machine slows both.
    for (let i = 0; i < WARM_REQUESTS; i++) {
      nothing.push(await timed(agent, `${directUrl}/healthz`));
      warm.push(await timed(agent, directUrl + path, body));
    }
    agent.destroy();
    return [nothing.slice(100), warm.slice(100)];
  });

  const code = await readFile(new URL("../offline-trainer/dist/worker/index.js", import.meta.url));
  const size = [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  console.log(`bundle: ${sum(Object.values(SCENARIOS))} items, ${DIMS} dimensions, ${(size / 1e6).toFixed(1)} MB`);
  console.log(`request: ${Object.keys(answers).length} answers, ${(body.length / 1e3).toFixed(0)} kB`);
  report("process start", starts);
  report("first estimate, empty isolate", firsts, "aim: under 100 ms");
  report("warm estimate", warm, "aim: under 5 ms");
  report("do-nothing route", nothing);
  console.log(`warm estimate / do-nothing route: ${(median(warm) / median(nothing)).toFixed(1)}`);
  console.log(
    `Worker: ${(code.length / 1e3).toFixed(0)} kB, ${(gzipSync(code).length / 1e3).toFixed(0)} kB compressed (aim: under 1000 kB)`,
  );
} finally {
  await rm(persist, { recursive: true });
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

/** Milliseconds from sending a request to its last byte. */
function timed(agent, url, body) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const headers =
      body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(url, { agent, method: body === undefined ? "GET" : "POST", headers }, (response) => {
      response.resume().once("end", () => {
        if (response.statusCode === 200) resolve(performance.now() - begun);
        else reject(new Error(`${url}: ${response.statusCode}`));
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

/** A bundle of the size that matters, drawn from a 2PL, and one model's answers to its anchors. */
function syntheticBundle() {
  const random = createRandom("bench/worker");
  const form = String(ANCHORS);
  const measured = { interpolation: null, extrapolation: null };
  const answers = {};
  const scenarios = Object.entries(SCENARIOS).map(([id, count]) => {
    const bank = itemBank(
      Float32Array.from({ length: count * DIMS }, () => 0.3 * Math.abs(random.normal())),
      Float32Array.from({ length: count }, () => random.normal()),
    );
    const order = random.shuffle(Array.from({ length: count }, (_, i) => i)).slice(0, ANCHORS);
    const record = (index) => ({ item_id: `${id}/${index}`, scenario: id });
    for (const index of order) answers[`${id}/${index}`] = random.next() < 0.6 ? 1 : 0;
    const set = {
      items: Uint32Array.from([...order].sort((x, y) => bank.b[x] - bank.b[y])),
      mass: new Float64Array(ANCHORS).fill(1 / ANCHORS),
      inclusion: new Float64Array(ANCHORS).fill(ANCHORS / count),
    };
    return {
      bank,
      sourceScores: Float32Array.from({ length: 395 }, () => random.next()),
      forms: new Map([[form, set]]),
      anchors: order.map((index) => ({ ...record(index), index, forms: [form] })),
      items: Array.from({ length: count }, (_, index) => record(index)),
    };
  });
  const ids = Object.keys(SCENARIOS);
  const manifest = {
    formatVersion: FORMAT_VERSION,
    benchmark: "bench",
    version: "1.0.0",
    benchmarkVersion: null,
    created: "2026-01-01T00:00:00Z",
    description: null,
    parameterization: PARAMETERIZATION,
    weighting: "items",
    banks: ids.map((id) => ({
      id,
      scenarios: [id],
      irtModel: "2pl",
      dims: DIMS,
      prior: {
        mean: Array(DIMS).fill(0),
        covariance: Array.from({ length: DIMS * DIMS }, (_, k) => (k % (DIMS + 1) === 0 ? 1 : 0)),
        scale: 2.5,
      },
    })),
    scenarios: ids.map((id) => ({
      id,
      weight: 1,
      items: SCENARIOS[id],
      subscenarios: [{ id: null, items: SCENARIOS[id] }],
      threshold: null,
      scoreMap: null,
    })),
    forms: [
      {
        id: form,
        selection: "random",
        estimator: "p-irt-dr",
        interval: "design",
        scenarios: Object.fromEntries(ids.map((id) => [id, { items: ANCHORS, whole: false, lambda: 0.4, measured }])),
        overall: null,
      },
    ],
    defaultForm: form,
    sources: { models: 395, names: null, note: null },
    protocol: {},
    fit: {},
    data: { licence: null, source: null },
  };
  return { files: encodeBundle({ manifest, scenarios }), answers };
}
