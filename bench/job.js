// A leaderboard through the queue: see README.md, "job". Needs `npm run build`.
// usage: node bench/job.js [--models 10000] [--anchors 100] [--part 50]
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { createClient } from "anchoreval";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import { r2Store } from "anchoreval/internal/publish/r2-store";
import { startLocalWorker } from "anchoreval-trainer";
import { SCENARIOS, syntheticBundle } from "./worker/synthetic-bundle.js";

const { values: options } = parseArgs({
  options: {
    models: { type: "string", default: "10000" },
    anchors: { type: "string", default: "100" },
    part: { type: "string", default: "50" },
  },
});
const [models, anchors, part] = [options.models, options.anchors, options.part].map(Number);

const persist = await mkdtemp(join(tmpdir(), "anchoreval-bench-"));
const vars = { MAX_BATCH_MODELS: part, MAX_JOB_MODELS: models, MAX_JOB_BYTES: 100_000_000 };
const worker = await startLocalWorker({ port: 0, persist, vars });
try {
  const { files, answers } = syntheticBundle("mmlu", { mmlu: SCENARIOS.mmlu }, false, anchors, 2);
  await publishBundle(r2Store(await worker.bucket()), files);
  const client = createClient({ baseUrl: worker.url, timeout: 60_000 });
  const ref = { benchmark: "mmlu", version: "1.0.0" };
  // Every model with answers of its own: the k-th one's are turned over where k has the bit of their place.
  const ids = Object.keys(answers);
  const responsesOf = (k) =>
    Object.fromEntries(ids.map((id, place) => [id, (k >> (place % 14)) & 1 ? 1 - answers[id] : answers[id]]));
  const requests = Array.from({ length: models }, (_, k) => ({ model: `m${k}`, responses: responsesOf(k) }));

  const begun = performance.now();
  const job = await client.jobs.submit(ref, requests);
  const submitted = performance.now();
  await client.jobs.wait(job, { interval: 500 });
  const ended = performance.now();
  const counts = new Uint32Array(models);
  let wrong = 0;
  for await (const { index, model, estimate } of client.jobs.results(job)) {
    counts[index]++;
    if (model !== `m${index}` || estimate === undefined) wrong++;
  }
  const read = performance.now();
  for (const k of [0, 1, Math.floor(models / 2), models - 1]) {
    const { score } = await client.estimate(ref, { responses: responsesOf(k) });
    for await (const { index, estimate } of client.jobs.results(job))
      if (index === k && estimate.score !== score) wrong++;
  }
  const seconds = (from, to) => `${((to - from) / 1000).toFixed(1)} s`;
  console.log(
    `${models} models × ${ids.length} answers, ${part} a message: sent in ${seconds(begun, submitted)}, done after ${seconds(begun, ended)}, read in ${seconds(ended, read)}`,
  );
  console.log(
    `${counts.filter((count) => count === 1).length} of ${models} once in the results, ${wrong} wrong; load ${loadavg()[0].toFixed(1)}`,
  );
} finally {
  await worker.dispose();
  await rm(persist, { recursive: true });
}
