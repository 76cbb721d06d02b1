// What finishing a float32 calibration in float64 costs and moves: ONNX Runtime's CPU in float32, alone and finished by
// its float64. A tenth of the answers is held out of the fits.
// usage: node bench/finish.js [FOLDER] [--sets helm-lite,simulated] [--dims 2,5]
// FOLDER holds helm-lite/responses.csv.gz and items.jsonl.gz.
import { parseArgs } from "node:util";
import { calibrate } from "anchoreval-trainer/calibrate";
import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { onnxNodeBackend } from "../offline-trainer/dist/backends/node/onnx-node-backend.js";
import { codeResponses } from "../offline-trainer/dist/matrix/code-responses.js";
import { dataSet } from "./calibrate/data-sets.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,simulated" },
    dims: { type: "string", default: "2,5" },
  },
});
const cpu = (precision, finish) => onnxNodeBackend({ provider: "cpu", precision, ...(finish && { finish }) });
const power = (value) => value.toExponential(1);

console.log(
  "| data | D | | evaluations | s | above the optimum | held-out log-likelihood | P from float64's: RMS, largest |",
);
console.log(
  "| ---- | - | - | ----------- | - | ----------------- | ----------------------- | ------------------------------ |",
);
for (const name of values.sets.split(",")) {
  const { matrix, skipped } = await dataSet(name, positionals[0]);
  if (skipped) console.log(`skipped: ${skipped}`);
  else for (const dims of values.dims.split(",")) await compare(name, matrix, Number(dims));
}

async function compare(name, matrix, dims) {
  const all = codeResponses(matrix, [...matrix.subjects.keys()], new Float64Array(matrix.items.length).fill(0.5));
  const random = createRandom("held out");
  const held = Array.from(all.signs.keys()).filter((k) => all.signs[k] !== 0 && random.next() < 0.1);
  const signs = all.signs.slice();
  for (const k of held) signs[k] = 0;
  const responses = { ...all, signs };
  const exact = cpu("float64");
  const reference = await fitted(responses, dims, cpu("float64", exact));
  for (const [label, backend, other] of [
    ["float32", cpu("float32"), await fitted(responses, dims, exact)],
    ["finished", cpu("float32", exact), reference],
  ]) {
    const fit = await fitted(responses, dims, backend);
    const gap = fit.value / (await optimum(responses, dims, fit.state)) - 1;
    const apart = held.map((k) => Math.abs(probability(fit, all.items, k) - probability(other, all.items, k)));
    const rms = Math.sqrt(apart.reduce((sum, d) => sum + d * d, 0) / apart.length);
    const cells = [
      `${name}, ${all.subjects} × ${all.items}`,
      dims,
      label,
      fit.evaluations,
      fit.seconds.toFixed(1),
      power(gap),
      heldOut(fit, all, held).toFixed(6),
      `${power(rms)}, ${power(apart.reduce((most, d) => Math.max(most, d), 0))}`,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

/** A calibration with the state that its last round began from. */
async function fitted(responses, dims, backend) {
  let state;
  const onRound = async (next) => {
    state = { ...next, theta: next.theta.slice(), a: next.a.slice(), b: next.b.slice() };
  };
  const begun = performance.now();
  const fit = await calibrate(responses, { dims, backend, random: createRandom(1), onRound });
  return { ...fit, state, seconds: (performance.now() - begun) / 1000 };
}

/** The least value at a last round's scales. */
async function optimum(responses, dims, resume) {
  const tight = { tolerance: 1e-14, maxEvaluations: 3000 };
  const fit = await calibrate(responses, { dims, backend: cpu("float64"), random: createRandom(1), resume, ...tight });
  return fit.value;
}

function probability({ theta, a, b, dims }, items, k) {
  const [m, i] = [Math.floor(k / items), k % items];
  let z = -b[i];
  for (let d = 0; d < dims; d++) z += a[i * dims + d] * theta[m * dims + d];
  return sigmoid(z);
}

/** Mean log-probability of the answers that were held out, in nats. */
function heldOut(fit, { items, signs }, held) {
  const logs = held.map((k) => {
    const p = probability(fit, items, k);
    return Math.log(signs[k] > 0 ? p : 1 - p);
  });
  return logs.reduce((sum, log) => sum + log, 0) / logs.length;
}
