/**
 * Does a calibration by marginal maximum likelihood find the truth again? Simulates responses of a known model,
 * calibrates them and prints bias and root mean squared error of the items' parameters, and the error of their curves.
 *
 *     npx tsc -b && node bench/recovery.js [--models 500] [--items 200] [--replications 20] [--seed 1] [--model 1pl] …
 */
import { parseArgs } from "node:util";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponse } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { calibrateMarginal } from "../offline-trainer/dist/calibrate/marginal/calibrate-marginal.js";

const MODELS = ["1pl", "2pl", "3pl", "4pl"];
const { values } = parseArgs({
  options: {
    models: { type: "string", default: "500" },
    items: { type: "string", default: "200" },
    replications: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    model: { type: "string", multiple: true, default: MODELS },
  },
});
const [subjects, items] = [Number(values.models), Number(values.items)];
const replications = Number(values.replications);
const PARAMETERS = {
  "1pl": ["a", "b"],
  "2pl": ["a", "b"],
  "3pl": ["a", "b", "lower"],
  "4pl": ["a", "b", "lower", "upper"],
};

console.log(`${subjects} models × ${items} items, ${replications} replications, seed ${values.seed}; θ ~ N(0, 1),`);
console.log("a = exp(.3·N) (1pl: 1.1), b = 1.3·N, lower uniform in [.1, .3], upper in [.9, 1]; averages over items\n");
console.log(row("", "bias", "rmse"));
for (const model of values.model) {
  const { sums, curve, converged, seconds } = await recover(model);
  for (const [name, { error, square, count }] of Object.entries(sums))
    console.log(row(`${model} ${name}`, (error / count).toFixed(4), Math.sqrt(square / count).toFixed(4)));
  console.log(row(`${model} P(θ) on [−2, 2]`, "", Math.sqrt(curve / replications).toFixed(4)));
  console.log(`${"".padEnd(24)}${converged} of ${replications} converged; ${seconds.toFixed(2)} s each`);
}
async function recover(model) {
  const sums = Object.fromEntries(PARAMETERS[model].map((name) => [name, { error: 0, square: 0, count: 0 }]));
  let [curve, converged, seconds] = [0, 0, 0];
  for (let replication = 0; replication < replications; replication++) {
    const { responses, truth } = simulate(model, `${values.seed}/${model}/${replication}`);
    const begun = performance.now();
    const fit = await calibrateMarginal(responses, { model });
    seconds += (performance.now() - begun) / 1000 / replications;
    converged += fit.converged ? 1 : 0;
    curve += curveError(truth, fit);
    for (const [name, sum] of Object.entries(sums)) {
      for (let i = 0; i < items; i++) {
        const gap = fit[name][i] - truth[name][i];
        sum.error += gap;
        sum.square += gap * gap;
        sum.count++;
      }
    }
  }
  return { sums, curve, converged, seconds };
}

function simulate(model, seed) {
  const random = createRandom(seed);
  const draw = (each) => Float64Array.from({ length: items }, each);
  const between = (low, high) => draw(() => low + (high - low) * random.next());
  const truth = {
    a: draw(() => (model === "1pl" ? 1.1 : Math.exp(0.3 * random.normal()))),
    b: draw(() => 1.3 * random.normal()),
    lower: model === "3pl" || model === "4pl" ? between(0.1, 0.3) : new Float64Array(items),
    upper: model === "4pl" ? between(0.9, 1) : new Float64Array(items).fill(1),
  };
  const bank = itemBank(truth.a, truth.b, truth);
  const signs = new Int8Array(subjects * items);
  for (let m = 0; m < subjects; m++) {
    const theta = Float64Array.of(random.normal());
    for (let i = 0; i < items; i++) signs[m * items + i] = random.next() < itemResponse(theta, bank, i) ? 1 : -1;
  }
  return { responses: { subjects, items, signs }, truth };
}

/** Mean squared difference of the curves over items and an even grid. */
function curveError(truth, fit) {
  const [left, right] = [truth, fit].map(({ a, b, lower, upper }) => itemBank(a, b, { lower, upper }));
  let sum = 0;
  let count = 0;
  for (let theta = -2; theta <= 2; theta += 0.1)
    for (let i = 0; i < items; i++, count++)
      sum += (itemResponse(Float64Array.of(theta), left, i) - itemResponse(Float64Array.of(theta), right, i)) ** 2;
  return sum / count;
}

function row(label, bias, rmse) {
  return label.padEnd(24) + bias.padStart(10) + rmse.padStart(10);
}
