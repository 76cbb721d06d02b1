// CPU of a batch by its number of models: see README.md, "batch". Needs `npm run build`; takes a minute.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import { r2Store } from "anchoreval/internal/publish/r2-store";
import { startLocalWorker } from "anchoreval-trainer";
import { DIMS, SCENARIOS, syntheticBundle, withMissing } from "./worker/synthetic-bundle.js";
import { workerdCpu } from "./worker/workerd-cpu.js";

/** CPU of a request on the free plan. @unit milliseconds */
const BUDGET = 10;
const SIZES = [1, 2, 4, 8];
const WARM_UP = 40;
/** Requests of each size come in rounds, sizes in turns, so that a busy machine slows all of them. */
const ROUNDS = 5;
const ROUND_REQUESTS = 30;
const MISSING = 0.3;

const persist = await mkdtemp(join(tmpdir(), "anchoreval-bench-"));
const worker = await startLocalWorker({ port: 0, persist, directSocket: 0, vars: { MAX_BATCH_MODELS: 100 } });
try {
  const store = r2Store(await worker.bucket());
  for (const anchors of [50, 100]) {
    const { files, answers } = syntheticBundle(`form-${anchors}`, { mmlu: SCENARIOS.mmlu }, false, anchors);
    await publishBundle(store, files);
    for (const share of [0, MISSING]) {
      const responses = withMissing(answers, share);
      const cases = SIZES.map((models) => ({ models, cpu: 0 }));
      const ask = ({ models }) => send(`/v1/bundles/form-${anchors}/1.0.0/estimates/batch`, models, responses);
      for (const own of cases) for (let i = 0; i < WARM_UP; i++) await ask(own);
      for (let round = 0; round < ROUNDS; round++)
        for (const own of cases) {
          const before = await workerdCpu();
          if (before === null) throw new Error("CPU can't be measured here: there is no /proc");
          for (let i = 0; i < ROUND_REQUESTS; i++) await ask(own);
          own.cpu += ((await workerdCpu()) - before) / (ROUNDS * ROUND_REQUESTS);
        }
      report(
        `${anchors} anchors of ${SCENARIOS.mmlu} items, ${DIMS} dimensions, ${100 * (1 - share)} % answered`,
        cases,
      );
    }
  }
} finally {
  await worker.dispose();
  await rm(persist, { recursive: true });
}

async function send(path, models, responses) {
  const body = Array.from({ length: models }, (_, k) => `${JSON.stringify({ model: `m${k}`, responses })}\n`).join("");
  const headers = { "content-type": "application/x-ndjson" };
  const lines = (await (await fetch(worker.directUrl + path, { method: "POST", headers, body })).text())
    .trim()
    .split("\n");
  const { done, results } = JSON.parse(lines.at(-1));
  if (done !== true || results !== models) throw new Error(`not ${models} results: ${lines.at(-1)}`);
}

/** CPU as a + b·models by least squares, and how many models the budget takes. */
function report(title, cases) {
  const mean = (of) => cases.reduce((sum, own) => sum + of(own), 0) / cases.length;
  const [models, cpu] = [mean((own) => own.models), mean((own) => own.cpu)];
  const each = mean((own) => (own.models - models) * (own.cpu - cpu)) / mean((own) => (own.models - models) ** 2);
  const fixed = cpu - each * models;
  console.log(title);
  for (const own of cases) console.log(`  ${own.models} models: ${own.cpu.toFixed(2)} ms of CPU`);
  console.log(
    `  ${fixed.toFixed(2)} ms a request and ${each.toFixed(2)} ms a model: ${Math.floor((BUDGET - fixed) / each)} models in ${BUDGET} ms`,
  );
}
