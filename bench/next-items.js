// CPU of a step of an adaptive evaluation by what was answered before: see README.md, "next-items". Needs `npm run
// build`; takes a minute.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import { r2Store } from "anchoreval/internal/publish/r2-store";
import { startLocalWorker } from "anchoreval-trainer";
import { DIMS, SCENARIOS, syntheticBundle } from "./worker/synthetic-bundle.js";
import { workerdCpu } from "./worker/workerd-cpu.js";

const BUDGET = 200;
const WARM_UP = 40;
/** Requests of each case come in rounds, cases in turns, so that a busy machine slows all of them. */
const ROUNDS = 6;
const ROUND_REQUESTS = 25;

const persist = await mkdtemp(join(tmpdir(), "anchoreval-bench-"));
const worker = await startLocalWorker({ port: 0, persist, directSocket: 0 });
try {
  const { files } = syntheticBundle("mmlu", { mmlu: SCENARIOS.mmlu }, false);
  await publishBundle(r2Store(await worker.bucket()), files);
  for (const [title, begin] of [
    ["one model", { budget: BUDGET, stop: { halfWidth: 0.001 } }],
    ["two models", { models: 2, budget: BUDGET, stop: { halfWidth: 0.001 } }],
    ["an ability", { goal: "ability", budget: BUDGET }],
  ])
    await timeSteps(title, begin);
} finally {
  await worker.dispose();
  await rm(persist, { recursive: true });
}

/** Prints the CPU of the first step and of steps after 10, 50, 100 and 190 answers, less that of a do-nothing request. */
async function timeSteps(title, begin) {
  const cases = [
    { title: "do-nothing route", ask: () => fetch(`${worker.directUrl}/healthz`).then((own) => own.text()), cpu: 0 },
    { title: "begin", ask: () => send({ begin }), cpu: 0 },
  ];
  let turn = await send({ begin });
  for (let asked = 0; turn.stopped === null; asked += 10) {
    const body = { state: turn.state, ...answersTo(turn, begin.models) };
    if ([0, 50, 100, 180].includes(asked))
      cases.push({ title: `after ${asked + 10} answers`, ask: () => send(body), cpu: 0, length: turn.state.length });
    turn = await send(body);
  }
  for (const own of cases) for (let i = 0; i < WARM_UP; i++) await own.ask();
  for (let round = 0; round < ROUNDS; round++)
    for (const own of cases) {
      const before = await workerdCpu();
      if (before === null) throw new Error("CPU can't be measured here: there is no /proc");
      for (let i = 0; i < ROUND_REQUESTS; i++) await own.ask();
      own.cpu += ((await workerdCpu()) - before) / (ROUNDS * ROUND_REQUESTS);
    }
  const [nothing, ...steps] = cases;
  console.log(`${title}: ${SCENARIOS.mmlu} items, ${DIMS} dimensions, 10 items a step (aim: under 8 ms)`);
  for (const own of steps)
    console.log(
      `  ${own.title}: ${(own.cpu - nothing.cpu).toFixed(2)} ms of CPU${own.length ? `, a state of ${own.length} characters` : ""}`,
    );
}

function answersTo({ items }, models = 1) {
  const responses = (seed) =>
    Object.fromEntries(items.map(({ item_id: id }, j) => [id, (id.length * 7 + j * 13 + seed) % 3 === 0 ? 0 : 1]));
  return models === 2
    ? { a: { responses: responses(0) }, b: { responses: responses(1) } }
    : { responses: responses(0) };
}

async function send(body) {
  const response = await fetch(`${worker.directUrl}/v1/bundles/mmlu/1.0.0/next-items`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}
