// Does the multidimensional 2PL's penalised calibration find the truth again? Simulated responses of a known model;
// discriminations are compared after the rotation that brings them nearest to the truth (Procrustes), intercepts as they
// are. Intervals are Laplace's, those of `anchoreval audit`.
// usage: node bench/recovery-multidimensional.js [--models 500] [--items 200] [--dims 2,3] [--replications 10]
//        [--starts 10] [--shrinkage 0.5,1]
import { parseArgs } from "node:util";
import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { resolveBackend, calibrate } from "anchoreval-trainer";
import {
  abilityCovariances,
  fittedAnswers,
  itemAtFit,
} from "../offline-trainer/dist/extensions/audit/fitted-answers.js";
import { itemCovariance, parameterPrecision } from "../offline-trainer/dist/extensions/audit/item-covariance.js";
import { symmetricEigen } from "../offline-trainer/dist/numeric/eigen.js";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "500" },
    items: { type: "string", default: "200" },
    dims: { type: "string", default: "2,3" },
    replications: { type: "string", default: "10" },
    starts: { type: "string", default: "10" },
    shrinkage: { type: "string", default: "0.5,1" },
  },
});
const [subjects, items] = [Number(values.models), Number(values.items)];
const numbers = (text) => text.split(",").map(Number);
const { backend } = await resolveBackend("cpu");
const Z95 = 1.959964;

console.log(
  `${subjects} models × ${items} items, ${values.replications} replications; θ ~ N(0, I), first slopes exp(.3·N),`,
);
console.log(
  "other slopes .6·N, b = 1.3·N; shrinkage is the share of the slopes' learned variance that the prior keeps\n",
);
console.log("dims  shrinkage        bias    rmse  in the 95 % interval   rmse of P   b agrees over starts");
for (const dims of numbers(values.dims))
  for (const shrinkage of numbers(values.shrinkage)) {
    const sums = { a: tally(), b: tally() };
    let curve = 0;
    for (let replication = 0; replication < Number(values.replications); replication++) {
      const { responses, truth } = simulate(dims, `${dims}/${replication}`);
      const fit = await calibrate(responses, { dims, backend, shrinkage, random: createRandom(1) });
      curve += compare(responses, truth, fit, dims, sums) / Number(values.replications);
    }
    const agreement = await agreementOfStarts(dims, shrinkage);
    for (const [name, { count, error, square, within }] of Object.entries(sums))
      console.log(
        `${String(dims).padEnd(5)} ${String(shrinkage).padEnd(10)} ${name}  ${(error / count).toFixed(4).padStart(8)}  ${Math.sqrt(square / count).toFixed(4)}  ${(within / count).toFixed(3).padStart(20)}   ${name === "a" ? curve.toFixed(4).padStart(9) : agreement.toFixed(4).padStart(32)}`,
      );
  }

function tally() {
  return { count: 0, error: 0, square: 0, within: 0 };
}

function simulate(dims, seed) {
  const random = createRandom(`recovery ${seed}`);
  const theta = Float64Array.from({ length: subjects * dims }, () => random.normal());
  const a = Float64Array.from({ length: items * dims }, (_, k) =>
    k % dims === 0 ? Math.exp(0.3 * random.normal()) : 0.6 * random.normal(),
  );
  const b = Float64Array.from({ length: items }, () => 1.3 * random.normal());
  const signs = Int8Array.from({ length: subjects * items }, (_, k) =>
    random.next() < probability({ theta, a, b }, dims, Math.floor(k / items), k % items) ? 1 : -1,
  );
  return { responses: { subjects, items, signs }, truth: { theta, a, b } };
}

function probability({ theta, a, b }, dims, m, i) {
  let z = -b[i];
  for (let d = 0; d < dims; d++) z += a[i * dims + d] * theta[m * dims + d];
  return sigmoid(z);
}

/** Adds to the tallies; returns the root mean square error of the cells' probabilities. */
function compare(responses, truth, fit, dims, sums) {
  const turn = procrustes(fit.a, truth.a, dims);
  const answers = fittedAnswers(responses, fit);
  const covariances = abilityCovariances(answers);
  const precision = parameterPrecision(answers, fit.scales);
  const size = dims + 1;
  for (let i = 0; i < items; i++) {
    const covariance = itemCovariance(answers, itemAtFit(answers, i, covariances), precision);
    for (let d = 0; d < dims; d++) {
      let slope = 0;
      let variance = 0;
      for (let r = 0; r < dims; r++) {
        slope += turn[r * dims + d] * fit.a[i * dims + r];
        for (let c = 0; c < dims; c++) variance += turn[r * dims + d] * covariance[r * size + c] * turn[c * dims + d];
      }
      add(sums.a, slope - truth.a[i * dims + d], variance);
    }
    add(sums.b, fit.b[i] - truth.b[i], covariance[size * size - 1]);
  }
  let square = 0;
  for (let m = 0; m < subjects; m++)
    for (let i = 0; i < items; i++) square += (probability(fit, dims, m, i) - probability(truth, dims, m, i)) ** 2;
  return Math.sqrt(square / (subjects * items));
}

function add(sum, error, variance) {
  sum.count++;
  sum.error += error;
  sum.square += error * error;
  if (Math.abs(error) <= Z95 * Math.sqrt(variance)) sum.within++;
}

/** The rotation R (D×D) for which Σ|R'a − a₀|² over items is least: U·V' of M = Σ a·a₀' = U·S·V'. Schönemann (1966). */
function procrustes(a, target, dims) {
  const cross = new Float64Array(dims * dims);
  for (let at = 0; at < a.length; at += dims)
    for (let r = 0; r < dims; r++) for (let c = 0; c < dims; c++) cross[r * dims + c] += a[at + r] * target[at + c];
  const gram = new Float64Array(dims * dims);
  for (let r = 0; r < dims; r++)
    for (let c = 0; c < dims; c++)
      for (let k = 0; k < dims; k++) gram[r * dims + c] += cross[k * dims + r] * cross[k * dims + c];
  const { values: squares, vectors } = symmetricEigen(gram, dims); // M'M = V·S²·V'
  const out = new Float64Array(dims * dims);
  for (let r = 0; r < dims; r++)
    for (let c = 0; c < dims; c++)
      for (let k = 0; k < dims; k++) {
        let left = 0; // M·v_k / s_k
        for (let j = 0; j < dims; j++) left += cross[r * dims + j] * vectors[k * dims + j];
        out[r * dims + c] += (left / Math.sqrt(squares[k])) * vectors[k * dims + c];
      }
  return out;
}

/** Least correlation of intercepts between fits from random starts. */
async function agreementOfStarts(dims, shrinkage) {
  const { responses } = simulate(dims, `${dims}/starts`);
  const fits = [];
  for (let start = 0; start < Number(values.starts); start++)
    fits.push((await calibrate(responses, { dims, backend, shrinkage, random: createRandom(`start ${start}`) })).b);
  let least = 1;
  for (const one of fits) for (const other of fits) least = Math.min(least, correlation(one, other));
  return least;
}

function correlation(x, y) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(x), mean(y)];
  let [xx, yy, xy] = [0, 0, 0];
  for (let k = 0; k < x.length; k++) {
    xx += (x[k] - mx) ** 2;
    yy += (y[k] - my) ** 2;
    xy += (x[k] - mx) * (y[k] - my);
  }
  return xy / Math.sqrt(xx * yy);
}
