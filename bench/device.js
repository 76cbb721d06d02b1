// What device.sh measures; each figure in a process of its own, so that none warms another up.
// usage: sh bench/device.sh OUT.json
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { onnxNodeBackend } from "anchoreval-trainer/internal/backends/node/onnx-node-backend";
import { resolveBackend } from "anchoreval-trainer/internal/backends/resolve-backend";
import { typescriptBackend } from "anchoreval-trainer/internal/backends/typescript";
import { calibrate } from "anchoreval-trainer/internal/calibrate/calibrate";
import { readOptions } from "./options.js";

const { values } = readOptions(import.meta.url, {
  out: null,
  use: null,
  devices: null,
  boards: null,
  fit: null,
  seconds: null,
  task: null,
});
const here = fileURLToPath(import.meta.url);
const bin = fileURLToPath(new URL("../sdk/bin/anchoreval.js", import.meta.url));

if (values.task) await runTask(JSON.parse(values.task));
else await runAll();

async function runAll() {
  const begun = Date.now();
  const left = () => Number(values.seconds) - (Date.now() - begun) / 1000;
  const devices = values.devices.split(",");
  const results = [];
  const measure = async (name, args) => {
    const from = Date.now();
    const result = left() > 5 ? await output(args, left()) : { skipped: "no time left" };
    results.push({ ...name, ...result, wallSeconds: round((Date.now() - from) / 1000), ...busy(from, Date.now()) });
    console.error(JSON.stringify(results.at(-1)));
  };
  const task = (name) => measure(name, [here, "--task", JSON.stringify(name)]);
  // The graphs on the CPU provider stand for themselves: the same model that a card runs.
  for (const device of new Set([...devices, "loop", "steps"])) await task({ what: "conformance", device });
  for (const board of values.boards.split(","))
    for (const device of devices) await task({ what: "calibration", board, device });
  const folder = mkdtempSync(join(tmpdir(), "anchoreval-device-"));
  try {
    const [models, items, scenarios] = values.fit.split("x");
    const board = join(folder, "board");
    const size = ["--models", models, "--items", items, "--scenarios", scenarios];
    await output([bin, "simulate", ...size, "--seed", "1", "--out", board, "--quiet"], left());
    for (const device of devices) {
      const data = ["--responses", join(board, "responses.csv.gz"), "--items", join(board, "items.jsonl.gz")];
      const rest = ["--name", "bench@1.0.0", "--anchors", "10,30,50,100", "--json", "--quiet"];
      const out = ["--provider", device, "--out", join(folder, device)];
      await measure({ what: "fit", board: values.fit, device }, [bin, "fit", ...data, ...rest, ...out]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const [card = null] = new Set(samples().map(({ name }) => name));
  const machine = { card, cores: availableParallelism(), cpu: cpus()[0].model, node: process.version };
  writeFileSync(values.out, `${JSON.stringify({ machine, date: new Date().toISOString(), results }, null, 2)}\n`);
}

/** A process's JSON, or what is worth keeping of a fit's; the last line of its complaint where it fails. */
function output(args, seconds) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { timeout: seconds * 1000 });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (text) => (stdout += text));
    child.stderr.on("data", (text) => (stderr += text));
    child.on("close", (status) => {
      if (status !== 0) return done({ failed: stderr.trim().split("\n").at(-1) || `ended with ${status}` });
      if (!stdout.startsWith("{")) return done({}); // simulate speaks to people
      const { milliseconds, peakMemory, provider, ...result } = JSON.parse(stdout);
      done(milliseconds ? { provider, milliseconds, peakMB: Math.round(peakMemory / 1e6) } : result);
    });
  });
}

/** nvidia-smi's samples; none without a card. */
function samples() {
  const lines = readFileSync(values.use, "utf8").trim().split("\n");
  return lines.flatMap((line) => {
    const [time, name, busy, memory] = line.split(", ");
    const at = Date.parse(time?.replaceAll("/", "-").replace(" ", "T"));
    return Number.isNaN(at) ? [] : [{ at, name, busy: Number(busy), memory: Number(memory) }];
  });
}

/** How busy the card was between two times, and how much of its memory was taken. */
function busy(from, to) {
  const within = samples().filter(({ at }) => at >= from && at <= to);
  if (within.length === 0) return {};
  const mean = within.reduce((sum, { busy }) => sum + busy, 0) / within.length;
  const most = (key) => Math.max(...within.map((sample) => sample[key]));
  return { card: { meanPercent: round(mean), mostPercent: most("busy"), mostMB: most("memory") } };
}

async function runTask({ what, board, device }) {
  const result = what === "conformance" ? await conformance(device) : await calibration(board, device);
  process.stdout.write(JSON.stringify(result));
}

async function backendOf(device) {
  if (device !== "loop" && device !== "steps") return (await resolveBackend(device)).backend;
  return onnxNodeBackend({ provider: "cpu", precision: "float64", threads: 1, rounds: device, blockCells: 2000 });
}

/** The worst difference from plain TypeScript over small problems, finished nowhere. */
async function conformance(device) {
  const backend = { ...(await backendOf(device)), finish: undefined };
  const worst = { value: 0, evaluations: 0, parameters: 0 };
  for (const [models, items, dims] of [
    [1, 40, 1],
    [40, 1, 1],
    [24, 64, 2],
    [31, 333, 5],
    [83, 701, 3],
  ]) {
    const responses = drawn(models, items, dims, 0.1);
    const fitted = async (on) => calibrate(responses, { dims, backend: on, random: createRandom(1) });
    const [here, reference] = [await fitted(backend), await fitted(typescriptBackend)];
    const raise = (key, gap) => (worst[key] = Math.max(worst[key], gap));
    raise("value", Math.abs(here.value / reference.value - 1));
    raise("evaluations", Math.abs(here.evaluations - reference.evaluations));
    for (const part of ["theta", "a", "b"])
      here[part].forEach((value, k) => raise("parameters", Math.abs(value - reference[part][k])));
  }
  const most = backend.precision === "float64" ? 1e-9 : 1e-3;
  return { name: backend.name, precision: backend.precision, worst, conforms: worst.value <= most };
}

/** Two calibrations of a board: what starts with the first, and what stays. */
async function calibration(board, device) {
  const [models, items, dims] = board.split("x").map(Number);
  const responses = drawn(models, items, dims, 0);
  const starting = performance.now();
  const backend = await backendOf(device);
  const startSeconds = round((performance.now() - starting) / 1000);
  const runs = [];
  for (let run = 0; run < (models * items > 1e8 && device === "cpu" ? 1 : 2); run++) {
    const [begun, before] = [performance.now(), process.cpuUsage()];
    const { value, evaluations, converged } = await calibrate(responses, { dims, backend, random: createRandom(1) });
    const seconds = round((performance.now() - begun) / 1000);
    const { user, system } = process.cpuUsage(before);
    runs.push({ seconds, cpuSeconds: round((user + system) / 1e6), evaluations, value, converged });
  }
  return { startSeconds, runs, peakMB: Math.round(process.resourceUsage().maxRSS / 1024) };
}

/** Answers drawn from the 2PL; a xorshift draws the cells, of which there may be 182 million. */
function drawn(subjects, items, dims, missing) {
  const random = createRandom(1).fork("draw");
  const theta = Float64Array.from({ length: subjects * dims }, () => random.normal());
  const a = Float64Array.from({ length: items * dims }, (_, k) =>
    k % dims === 0 ? Math.exp(0.4 * random.normal()) : (0.8 * random.normal()) / Math.sqrt(dims),
  );
  const b = Float64Array.from({ length: items }, () => 1.2 * random.normal());
  const signs = new Int8Array(subjects * items);
  let state = 0x9e3779b9;
  for (let m = 0, at = 0; m < subjects; m++)
    for (let i = 0; i < items; i++, at++) {
      let z = -b[i];
      for (let d = 0; d < dims; d++) z += a[i * dims + d] * theta[m * dims + d];
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      const draw = (state >>> 0) / 2 ** 32;
      signs[at] = draw < missing ? 0 : (draw - missing) / (1 - missing) < 1 / (1 + Math.exp(-z)) ? 1 : -1;
    }
  return { subjects, items, signs };
}

function round(value) {
  return Number(value.toFixed(3));
}
